"""Scikit-learn estimators that a study asks for by name, one per file."""
