"""Stored files: the rows of a block and its footer."""
