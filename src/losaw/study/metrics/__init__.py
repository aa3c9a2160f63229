"""Metrics: a number for the predictions of a fit, or for its importances and the truth."""
