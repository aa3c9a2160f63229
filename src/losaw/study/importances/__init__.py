"""Importances that only studies use: what learners report, and the papers' own variants."""
