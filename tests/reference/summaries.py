"""A summary with the same numbers in every cell of a study."""

import pandas as pd


def summary_of(study, **values):
    """All cells with the same numbers, or those of ``values``."""
    numbers = {"n_seeds": 4, "mean": 0.5, "sd": 0.1, "mc_se": 0.05, **values}
    return pd.DataFrame(
        {"setting_id": setting.identifier, "metric": metric, "method": method, **numbers}
        for setting in study.settings
        for metric in study.metrics
        for method in study.methods_of(metric)
    )
