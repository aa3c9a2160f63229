"""Data-generating processes: one per file, registered in :mod:`losaw.registry.catalogue`."""
