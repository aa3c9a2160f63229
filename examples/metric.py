"""A metric: `losaw check metric.py`; in a study `metrics: [share_of_top]`."""

import numpy as np

from losaw.study.registry import register


@register("metric", "share_of_top")
class ShareOfTop:
    """The share of signal features among the |S| features with the largest scores."""

    range = (0.0, 1.0)  # smallest and largest possible value
    higher_is_better = True
    # A metric of one feature takes its name as a parameter and has examples = ({"feature": "X2"},):
    # in `losaw check` the features are X1 to X12.
    # "importance": called with an ImportanceResult and a Truth.
    # "prediction": called with Predictions and a Truth, see losaw.study.metrics.metric; with
    # task = "classification", `losaw check` gives it the probabilities of two classes.
    needs = "importance"

    def __call__(self, result, truth):
        if not truth.signal:
            raise ValueError("share_of_top is not defined: the truth has no signal feature")
        # ranking_scores() is larger for more important features, whatever the method's sign.
        top = np.argsort(-result.ranking_scores(), kind="stable")[: len(truth.signal)]
        return float(truth.is_signal[top].mean())
