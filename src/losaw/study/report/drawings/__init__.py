"""One drawing, one file: ``draw(study, results, **options)`` returns a Matplotlib figure."""
