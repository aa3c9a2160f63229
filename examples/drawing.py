"""A drawing: `losaw check drawing.py`; in a study
`figures: {means: {drawing: bars-by-learner, options: {metric: pr_auc}}}`."""

from losaw.study.registry import register
from losaw.study.report.style import TEXT_WIDTH, new_figure


@register("drawing", "bars-by-learner")
def draw(study, results, *, metric):
    """Mean of a metric by learner, over all settings.

    Parameters
    ----------
    metric : str
        Label of a metric of the study.
    """
    # results.results has a row per measured value, results.scores a row per score vector.
    rows = results.results
    means = rows[rows["metric"] == metric].groupby("learner", sort=False)["value"].mean()
    figure = new_figure(2.5, TEXT_WIDTH)
    axes = figure.subplots()
    axes.bar(means.index.astype(str), means.to_numpy())
    axes.set_ylabel(metric)
    return figure
