"""Data-generating processes, a file for each, registered in :mod:`losaw.registry.catalogue`."""
