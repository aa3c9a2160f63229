"""The built-in names: one line each, nothing imported."""

from losaw.registry import add

# Learners: scikit-learn estimators.
add("learner", "random-forest", "sklearn.ensemble:RandomForestRegressor")
add("learner", "losaw-forest", "losaw.forest:LosawRandomForestRegressor")

# Importances: explain(model, data, rng) -> ImportanceResult.
add("importance", "mdi", "losaw.importance.mdi:MeanDecreaseInImpurity")

# Generators: sample(rng) -> Dataset.
add("generator", "losaw", "losaw.generators.losaw:LosawGenerator")
add("generator", "normal-linear", "losaw.generators.normal_linear:NormalLinearGenerator")

# Metrics: named as the columns of the tables are.
add("metric", "r2_test", "losaw.metrics.prediction:RSquaredTest")
add("metric", "r2_ind", "losaw.metrics.prediction:RSquaredIndependent")
add("metric", "pr_auc", "losaw.metrics.ranking:PrecisionRecallAuc")
add("metric", "fi_gap", "losaw.metrics.ranking:FeatureImportanceGap")
add("metric", "auc", "losaw.metrics.ranking:RocAuc")
add("metric", "best_noise_rank", "losaw.metrics.ranking:BestNoiseRank")
