"""Drawings, a file for each shape: ``draw(study, results, **options)`` returns a figure.

Options of several drawings:

- ``learner``, ``importance(s)``, ``metric(s)``: labels of the study;
- ``methods``: names of the comparison's columns; those without results are left out;
- ``panels``: axes of the study; a panel for each combination of their values that was run;
- ``where``: axis -> value or values, the settings that are shown;
- ``scale`` of the axis: "linear", "log", or "symlog", which is logarithmic from the smallest
  positive value on, with room for 0.

Where nothing was run the figure says so.
"""
