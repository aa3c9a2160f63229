"""All metrics: the function, its range, its direction, and what it needs."""

from math import inf

from losaw.study.metrics import of_importances as of
from losaw.study.metrics import of_predictions as on
from losaw.study.metrics.metric import Metric

# The separation of signal features from noise features, and their rank.
pr_auc = Metric(of.pr_auc)
auc = Metric(of.auc)
size_auc = Metric(of.size_auc)
fi_gap = Metric(of.fi_gap, (-1.0, 1.0))
best_noise_rank = Metric(of.best_noise_rank, (1.0, inf))
signal_rank = Metric(of.signal_rank, (1.0, inf), higher_is_better=False)
noise_score = Metric(of.noise_score, (-1.0, 1.0), higher_is_better=False)
signal_score = Metric(of.signal_score, (-1.0, 1.0))

# Decisions.
rejection_rate = Metric(of.rejection_rate, is_decision=True)
top_share = Metric(of.top_share, is_decision=True, check=of.check_k, examples=({}, {"k": 2}))

# Of importances, but they describe and do not judge.
signal_size = Metric(of.signal_size, (0.0, inf), ranks_methods=False)
noise_size = Metric(of.noise_size, (0.0, inf), higher_is_better=False, ranks_methods=False)
largest_size = Metric(of.largest_size, (0.0, inf), higher_is_better=False, ranks_methods=False)
feature_score = Metric(
    of.feature_score,
    (-inf, inf),
    ranks_methods=False,
    examples=({"feature": "X2"}, {"feature": "X2", "share": True}),
)
feature_rank = Metric(
    of.feature_rank,
    (1.0, inf),
    higher_is_better=False,
    ranks_methods=False,
    examples=({"feature": "X2"},),
)
importance_detail = Metric(
    of.importance_detail, (-inf, inf), ranks_methods=False, examples=({"key": "detail"},)
)
signal_share = Metric(of.signal_share, ranks_methods=False, examples=({"key": "counts"},))

# Of predictions.
r2_test = Metric(on.r2_test, (-inf, 1.0), needs="prediction")
r2_ind = Metric(on.r2_ind, (-inf, 1.0), needs="prediction")
r2_ind_train_noise = Metric(on.r2_ind_train_noise, (-inf, 1.0), needs="prediction")
optimum_gap = Metric(
    on.optimum_gap, (-inf, 1.0), needs="prediction", examples=({}, {"from_optimum": False})
)
risk = Metric(on.risk, (0.0, inf), higher_is_better=False, needs="prediction")
truth_detail = Metric(
    on.truth_detail,
    (-inf, inf),
    needs="prediction",
    ranks_methods=False,
    examples=({"key": "detail"},),
)
