"""Data-generating processes, one per file (:mod:`losaw.study.registry.catalogue` names them)."""
