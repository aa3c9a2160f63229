"""Stored files: the rows of a block, its footer, the record of its run."""
