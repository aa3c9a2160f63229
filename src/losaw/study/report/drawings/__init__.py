"""Drawings, a file for each shape: ``draw(study, results, **options)`` returns a figure."""
