"""What it says: collected rows, summary, comparison with print, agreement."""
