"""The joint law of discrete features with given marginals and correlations."""
