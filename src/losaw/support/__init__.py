"""Small helpers that the whole package shares: argument checks, errors, files, optional extras."""
