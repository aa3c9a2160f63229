"""Data-generating processes: one per file, registered by name in :mod:`losaw.catalogue`."""
