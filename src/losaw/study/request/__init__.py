"""What is asked for: study files, the grid, the selection, and their checks, before any job."""
