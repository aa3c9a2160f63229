"""The built-in names as plain data: a line for each, nothing imported.

Nothing here decides a number: versions are in losaw.study.registry.versions.
"""

from typing import Any, NamedTuple

from losaw.knockoffs.sampler import SAMPLERS

# The file of losaw.study.metrics -> its metrics, each a function of its name.
_METRICS = {
    "of_importances": (
        "pr_auc fi_gap auc best_noise_rank signal_rank noise_score signal_score feature_score "
        "feature_rank signal_size noise_size largest_size size_auc rejection_rate top_share "
        "importance_detail signal_share false_share"
    ),
    "of_estimates": "bias empirical_se model_se rmse coverage rejection",
    "of_predictions": "r2_test r2_ind r2_ind_train_noise optimum_gap risk truth_detail "
    "squared_error_of_mean",
}
# The file of losaw.study.report.drawings -> its drawings, functions of these names with _ for -.
_DRAWINGS = {
    "lines": "metric-lines score-lines",
    "bars": "score-bars",
    "boxes": "pooled-runs score-boxes",
    "ranking": "ranking rank-sets",
    "replicate": "pair-plot scores-by-feature",
    "schemes": (
        "gradient-descent network-layers quantile-categories tradeoff traversal-splits "
        "weighted-split"
    ),
}
# kind -> name -> "module:attribute".
NAMES: dict[str, dict[str, str]] = {
    "learner": {
        "random-forest": "sklearn.ensemble:RandomForestRegressor",
        "plain-forest": "losaw.forest:PlainRandomForestRegressor",
        "losaw-forest": "losaw.forest:LosawRandomForestRegressor",
        "losaw-forest-classifier": "losaw.forest:LosawRandomForestClassifier",
        "network": "losaw.network:NetworkRegressor",
        "losaw-network": "losaw.network:LosawNetworkRegressor",
        "scikit-learn-forest": "losaw.study.learners.random_forest:RandomForest",
        "xgboost": "losaw.study.learners.xgboost_trees:XGBoostTrees",
        "ranger-forest": "losaw.study.learners.ranger_forest:RangerForest",
        "mixed-linear": "losaw.study.learners.generalized_linear:GeneralizedLinearModel",
        "mixed-network": "losaw.study.learners.single_layer_network:SingleLayerNetwork",
        "r-ranger": "losaw.study.learners.r_forests:CorrectedImpurityForest",
        "r-cforest": "losaw.study.learners.r_forests:ConditionalForest",
    },
    "generator": {
        "losaw": "losaw.study.generators.losaw:LosawGenerator",
        "binary-signal": "losaw.study.generators.binary_signal:BinarySignalGenerator",
        "low-signal": "losaw.study.generators.low_signal:LowSignalGenerator",
        "mixed-cardinality": "losaw.study.generators.mixed_cardinality:MixedCardinalityGenerator",
        "real-forest-data": "losaw.study.generators.real_rows:RealForestDataGenerator",
        "losaw-network": "losaw.study.generators.five_feature_blocks:FiveFeatureBlocksGenerator",
        "normal-linear": "losaw.study.generators.normal_linear:NormalLinearGenerator",
        "noisy-linear": "losaw.study.generators.noisy_linear:NoisyLinearGenerator",
        "noisy-copies": "losaw.study.generators.noisy_copies:NoisyCopiesGenerator",
        "confounder": "losaw.study.generators.confounder:ConfounderGenerator",
        "conditional-dag": "losaw.study.generators.conditional_dag:ConditionalDagGenerator",
        "diamonds": "losaw.study.generators.real_rows:DiamondsGenerator",
        "mixed-pairs": "losaw.study.generators.mixed_pairs:MixedPairsGenerator",
        "design": "losaw.study.generators.designs:DesignGenerator",
        "real-regression": "losaw.study.generators.real_rows:RealRegressionGenerator",
        "xplainfi": "losaw.study.generators.xplainfi:draw",
    },
    "metric": {
        name: f"losaw.study.metrics.{file}:{name}"
        for file, names in _METRICS.items()
        for name in names.split()
    },
    "drawing": {
        name: f"losaw.study.report.drawings.{file}:{name.replace('-', '_')}"
        for file, names in _DRAWINGS.items()
        for name in names.split()
    },
    "knockoff": SAMPLERS,
}


class Use(NamedTuple):
    """The use, by a study, of an importance: a function of the library, or one only for studies.

    ``on`` is the sample that the function is given: "test", "train", or "test and train". With
    "rows" a parameter of the study file says which; with "model" there is none, because the fitted
    model reports the scores; with "own models" it is the training sample, and no model.
    """

    module: str  # of losaw
    on: str = "test"
    options: tuple[str, ...] = ()  # the parameters that a study file may set
    scores_only: bool = False  # whether studies store scores without errors and tests
    selects: bool = False  # whether it selects features itself, in details["selected"]
    examples: tuple[dict[str, Any], ...] = ({},)  # parameters that the contract tests run with
    learner: str = "random-forest"  # the registered name of what the contract tests explain
    name: str = ""  # in study files; default: the function's, with - for _
    values: str = ""  # of the first option, each with a name of its own: {} in ``name``

    def names(self, function: str) -> dict[str, dict[str, Any]]:
        """Return the names of the function in study files, with the parameters they imply."""
        name = self.name or function.replace("_", "-")
        values = self.values.split()
        return {name.format(value): {self.options[0]: value} for value in values} or {name: {}}


# The function of an importance -> how a study uses it.
USES: dict[str, Use] = {
    "mdi": Use("importance.mdi", "train", scores_only=True),
    "saliency": Use("study.importances.reported", "model"),
    "reported": Use("study.importances.reported", "model"),
    "split_improvement": Use("importance.mdi", "train", scores_only=True),
    "ufi": Use("importance.ufi", "train", options=("in_bag",), scores_only=True),
    "air": Use("importance.air", "train", ("max_features",), scores_only=True),
    "mdi_oob": Use("importance.mdi_oob", "train", scores_only=True),
    "permutation": Use("study.importances.permutation", "rows", ("n_repeats",)),
    "tree_permutation": Use("importance.tree_permutation", "train", scores_only=True),
    "total_gain": Use("importance.treeinner", "model", learner="xgboost"),
    "total_gain_deviation": Use("importance.treeinner", "train", learner="xgboost"),
    "treeinner": Use(
        "importance.treeinner",
        "rows",
        ("attribution",),
        scores_only=True,
        learner="xgboost",
        name="tree-inner",
    ),
    "forest_inner": Use("importance.treeinner", "rows", ("attribution",), learner="xgboost"),
    "absolute_attribution": Use(
        "importance.treeinner", "rows", ("attribution", "level"), learner="xgboost"
    ),
    "loco": Use("importance.loco", "test and train", ("test", "adjustment")),
    "subgroups": Use("importance.subgroups", "test and train", ("n_repeats",)),
    "sage": Use(
        "importance.sage",
        "test",
        ("n_background", "max_permutations", "threshold"),
        examples=({"n_background": 8, "max_permutations": 32},),
    ),
    "boruta": Use(
        "importance.boruta",
        "own models",
        ("n_estimators", "max_runs"),
        selects=True,
        # A hundred forests of 500 trees are too many for an example.
        examples=({"n_estimators": 20, "max_runs": 5},),
    ),
    "cpi": Use(
        "importance.cpi",
        "test",
        ("sampler", "sampler_parameters", "test", "adjustment", "n_draws"),
        name="cpi-{}",
        values="conditional sequential deep",
    ),
    "cfi_normal": Use("study.importances.normal_draws", "test", ("n_draws",)),
    "pfi": Use(
        "importance.pfi",
        "test",
        ("scale", "n_repeats", "loss"),
        name="pfi-{}",
        values="difference ratio",
    ),
    "residual_of_top_features": Use(
        "importance.residual",
        "train",
        ("algorithm", "n_permutations", "n_estimators", "top_features"),
        examples=({"n_permutations": 2, "n_estimators": 30, "top_features": 3},),
        name="residual-{}",
        values="gram-schmidt gram-schmidt-printed random-forest random-forest-out-of-bag",
    ),
    "trend": Use(
        "study.importances.trend",
        "train",
        ("estimator", "signed", "weighting", "form", "standardized", "n_rows"),
        examples=({}, {"signed": True}),
        name="{}",
        values="atr rtr linear-coefficient pearson spearman shap-pearson shap-spearman",
    ),
}

# (kind, name) -> the extra without which it cannot run.
EXTRAS = {
    ("learner", "network"): "network",
    ("learner", "losaw-network"): "network",
    ("learner", "xgboost"): "xgboost",
    ("importance", "absolute-attribution"): "xgboost",
    ("importance", "total-gain"): "xgboost",
    ("importance", "total-gain-deviation"): "xgboost",
    ("importance", "tree-inner"): "xgboost",
    ("importance", "forest-inner"): "xgboost",
    ("importance", "shap-pearson"): "trends",
    ("importance", "shap-spearman"): "trends",
    ("importance", "cpi-deep"): "network",
    ("knockoff", "deep"): "network",
}

BUILT_IN: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    *((kind, name, target, {}) for kind, table in NAMES.items() for name, target in table.items()),
    *(
        ("importance", name, f"losaw.{use.module}:{function}", parameters)
        for function, use in USES.items()
        for name, parameters in use.names(function).items()
    ),
    # The function takes another s by default, with which fewer knockoffs are copies.
    (
        "importance",
        "cpi-gaussian",
        "losaw.importance.cpi:cpi",
        {"sampler": "gaussian", "sampler_parameters": {"s_method": "sdp"}},
    ),
)
