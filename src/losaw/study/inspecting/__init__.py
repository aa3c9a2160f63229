"""Whether to believe it: status, verification, origin, archive."""
