"""Local sample weighting: propensities, stabilisation, effective sample size."""
