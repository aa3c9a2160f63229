"""Every importance of a person's own table in one call: ``losaw explain``, ``losaw.explain``."""
