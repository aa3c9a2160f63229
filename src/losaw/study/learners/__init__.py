"""Learners: scikit-learn estimators that studies use by name, a file for each."""
