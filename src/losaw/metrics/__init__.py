"""One number for a fit: of its predictions, or of its importances against the truth."""
