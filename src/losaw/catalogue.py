"""The built-in names: one line each, nothing imported."""

from losaw.registry import add

# Learners: scikit-learn estimators.
add("learner", "random-forest", "sklearn.ensemble:RandomForestRegressor")
add("learner", "losaw-forest", "losaw.forest:LosawRandomForestRegressor")
add("learner", "losaw-forest-classifier", "losaw.forest:LosawRandomForestClassifier")
add("learner", "network", "losaw.network:NetworkRegressor")
add("learner", "losaw-network", "losaw.network:LosawNetworkRegressor")
add("learner", "task-forest", "losaw.learners.random_forest:RandomForest")
add("learner", "xgboost", "losaw.learners.xgboost_trees:XGBoostTrees")
add("learner", "mixed-forest", "losaw.learners.ranger_forest:RangerForest")
add("learner", "mixed-linear", "losaw.learners.generalized_linear:GeneralizedLinearModel")
add("learner", "mixed-network", "losaw.learners.single_layer_network:SingleLayerNetwork")
add("learner", "r-ranger", "losaw.learners.r_forests:CorrectedImpurityForest")
add("learner", "r-cforest", "losaw.learners.r_forests:ConditionalForest")

# Importances: explain(model, data, rng) -> ImportanceResult.
add("importance", "mdi", "losaw.importance.mean_decrease_in_impurity:MeanDecreaseInImpurity")
add("importance", "saliency", "losaw.importance.saliency:Saliency")
add("importance", "reported", "losaw.importance.reported:ReportedImportance")
add("importance", "split-improvement", "losaw.importance.split_gain:SplitImprovement")
add("importance", "ufi", "losaw.importance.unbiased_feature_importance:UnbiasedFeatureImportance")
add("importance", "air", "losaw.importance.actual_impurity_reduction:ActualImpurityReduction")
add("importance", "mdi-oob", "losaw.importance.out_of_bag_mdi:OutOfBagMdi")
add("importance", "permutation", "losaw.importance.permutation:PermutationImportance")
add(
    "importance",
    "tree-permutation",
    "losaw.importance.tree_permutation_importance:TreePermutationImportance",
)
add("importance", "total-gain", "losaw.importance.total_gain:TotalGain")
add("importance", "total-gain-deviation", "losaw.importance.total_gain:TotalGainDeviation")
add("importance", "tree-inner", "losaw.importance.tree_inner:TreeInner")
add("importance", "forest-inner", "losaw.importance.tree_inner:ForestInner")
add(
    "importance",
    "absolute-attribution",
    "losaw.importance.tree_inner:AbsoluteAttribution",
)

# Conditional predictive impact by knockoff sampler.
for _name in ("sequential", "gaussian", "deep"):
    add(
        "importance",
        f"cpi-{_name}",
        "losaw.importance.conditional_predictive_impact:ConditionalPredictiveImpact",
        sampler=_name,
    )

# Its rivals.
add("importance", "loco", "losaw.importance.leave_one_covariate_out:LeaveOneCovariateOut")
for _name in ("difference", "ratio"):
    add(
        "importance",
        f"pfi-{_name}",
        "losaw.importance.permutation_feature_importance:PermutationFeatureImportance",
        scale=_name,
    )
add("importance", "subgroups", "losaw.importance.conditional_subgroups:ConditionalSubgroups")
add("importance", "sage", "losaw.importance.shapley_global_importance:ShapleyGlobalImportance")
add("importance", "boruta", "losaw.importance.boruta_selection:Boruta")

# Residual importances and trend estimators.
for _name in ("gram-schmidt", "gram-schmidt-printed", "random-forest", "random-forest-out-of-bag"):
    add(
        "importance",
        f"residual-{_name}",
        "losaw.importance.residual:ResidualImportance",
        algorithm=_name,
    )
for _name in (
    "atr",
    "rtr",
    "linear-coefficient",
    "pearson",
    "spearman",
    "shap-pearson",
    "shap-spearman",
):
    add("importance", _name, "losaw.importance.trend:TrendImportance", estimator=_name)

# Generators: sample(rng) -> Dataset.
add("generator", "losaw", "losaw.generators.losaw:LosawGenerator")
add("generator", "binary-signal", "losaw.generators.binary_signal:BinarySignalGenerator")
add("generator", "low-signal", "losaw.generators.low_signal:LowSignalGenerator")
add(
    "generator",
    "mixed-cardinality",
    "losaw.generators.mixed_cardinality:MixedCardinalityGenerator",
)
add(
    "generator",
    "real-forest-data",
    "losaw.generators.real_forest_data:RealForestDataGenerator",
)
add(
    "generator",
    "losaw-network",
    "losaw.generators.five_feature_blocks:FiveFeatureBlocksGenerator",
)
add("generator", "normal-linear", "losaw.generators.normal_linear:NormalLinearGenerator")
add("generator", "noisy-linear", "losaw.generators.noisy_linear:NoisyLinearGenerator")
add("generator", "noisy-copies", "losaw.generators.noisy_copies:NoisyCopiesGenerator")
add("generator", "confounder", "losaw.generators.confounder:ConfounderGenerator")
add("generator", "conditional-dag", "losaw.generators.conditional_dag:ConditionalDagGenerator")
add("generator", "diamonds", "losaw.generators.diamonds:DiamondsGenerator")
add("generator", "mixed-pairs", "losaw.generators.mixed_pairs:MixedPairsGenerator")
add("generator", "real-regression", "losaw.generators.real_regression:RealRegressionGenerator")

# Metrics: named as the columns of the tables are.
add("metric", "r2_test", "losaw.metrics.prediction:RSquaredTest")
add("metric", "r2_ind", "losaw.metrics.prediction:RSquaredIndependent")
add("metric", "pr_auc", "losaw.metrics.ranking:PrecisionRecallAuc")
add("metric", "fi_gap", "losaw.metrics.ranking:FeatureImportanceGap")
add("metric", "auc", "losaw.metrics.ranking:RocAuc")
add("metric", "best_noise_rank", "losaw.metrics.ranking:BestNoiseRank")
add("metric", "signal_rank", "losaw.metrics.rank:SignalRank")
add("metric", "noise_score", "losaw.metrics.normalised:MeanNoiseScore")
add("metric", "signal_score", "losaw.metrics.normalised:MeanSignalScore")
add("metric", "risk", "losaw.metrics.risk:Risk")
add("metric", "feature-score", "losaw.metrics.feature:FeatureScore")
add("metric", "signal_size", "losaw.metrics.size:SignalSize")
add("metric", "noise_size", "losaw.metrics.size:NoiseSize")
add("metric", "size_auc", "losaw.metrics.size:SizeAuc")
add("metric", "rejection_rate", "losaw.metrics.decisions:RejectionRate")
add("metric", "type_1_error", "losaw.metrics.decisions:FalseRejectionRate")
add("metric", "top_share", "losaw.metrics.decisions:TopShare")
add("metric", "optimum_gap", "losaw.metrics.optimum:DistanceFromOptimum")
add("metric", "r2_ind_train_noise", "losaw.metrics.train_noise:RSquaredIndependentTrainNoise")
add("metric", "truth-detail", "losaw.metrics.record:TruthDetail")
add("metric", "importance-detail", "losaw.metrics.record:ImportanceDetail")
add("metric", "signal-share", "losaw.metrics.record:SignalShareOfCounts")
