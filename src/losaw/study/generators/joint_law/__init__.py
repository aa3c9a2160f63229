"""The joint law (joint distribution) of discrete features with given correlations."""
