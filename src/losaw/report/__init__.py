"""What a reader sees: tables, figures and one self-contained HTML page."""
