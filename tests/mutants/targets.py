"""Which tests ought to notice a change of which files, and the mutants that once went unnoticed."""

from typing import NamedTuple


class Target(NamedTuple):
    """Files below src/losaw by pattern, the tests of them, and options of pytest.

    ``interpreted`` are tests of kernels that meet a mutant first, before it is compiled.
    """

    files: str
    tests: tuple[str, ...]
    options: tuple[str, ...] = ()
    interpreted: tuple[str, ...] = ()


def _unit(room: str, *files: str) -> tuple[str, ...]:
    return tuple(f"tests/unit/{room}/test_{file}.py" for file in files)


NOT_DEEP = ("-k", "not deep")
LOGITS = (
    *_unit("weighting", "eight_logits", "far_apart", "large_logits"),
    "tests/property/test_logit_converges.py",
    "tests/property/test_boundary_of_ternary_laws.py",
)
WEIGHTS = (*_unit("weighting", "weights"), "tests/unit/test_range_of_numbers.py")
KNOCKOFFS = (
    *_unit("knockoffs", "samplers", "penalised_regressions", "s_values"),
    "tests/statistical/knockoffs",
    "tests/unit/test_range_of_numbers.py",
)
CPI = _unit("importance", "cpi")
TESTS_OF_DIFFERENCES = _unit("importance", "one_sided_tests")
RIVALS = _unit("importance", "rivals")
FORESTS = _unit("importance", "forest_importances")
BOOSTERS = _unit("importance", "boosted_importances", "exchanged")
RESIDUAL = _unit("importance", "residual")
TRENDS = _unit("trends", "linear_and_correlation", "traversal_rate", "shapley")
BORUTA = (*RIVALS, *_unit("importance", "own_fits"))
CROSS_FITTED = _unit("importance", "own_table")
FOREST = _unit("forest", "bad_input", "regressor", "kernels")
GROWING = (
    *_unit("forest", "kernels", "parts_of_growing", "regressor", "classifier", "categories"),
    *_unit("forest", "drawn_candidates", "decorrelation", "own_models"),
    *LOGITS,
)
PLAIN = (
    *_unit("forest", "kernels", "parts_of_growing", "drawn_candidates"),
    "tests/property/forest",
    *_unit("forest", "own_models", "decorrelation", "classifier"),
)
RANGER = (*_unit("forest", "parts_of_growing"), *_unit("learners", "ranger_trees"))
BLOCKS = _unit("study", "grid_and_blocks", "trust", "faults")
TRUST = _unit("study", "trust")
ARCHIVES = _unit("study", "trust", "hostile_archives")
ARCHIVE_METADATA = _unit("study", "archive_metadata")
NO_VALIDATOR = ("-k", "not validator")
RESULTS = (*_unit("study", "running", "agreement"), *_unit("report", "tables"))

TARGETS = (
    Target("kernels/compiled.py", GROWING, interpreted=PLAIN),
    Target("kernels/[ilt]*.py", GROWING, interpreted=PLAIN),
    Target("kernels/row_order.py", RANGER, interpreted=RANGER),
    Target("forest/growing/[bcgops]*.py", GROWING, interpreted=PLAIN),
    Target("forest/growing/weights_*.py", GROWING, interpreted=PLAIN),
    Target("weighting/logit/*.py", LOGITS),
    Target("weighting/checks.py", WEIGHTS),
    Target("weighting/choice.py", WEIGHTS),
    Target("weighting/effective_sample_size.py", (*WEIGHTS, "tests/property/weighting")),
    Target("weighting/levels.py", WEIGHTS),
    Target("weighting/losaw_weights.py", WEIGHTS),
    Target("weighting/propensity.py", WEIGHTS),
    Target("weighting/relative_decrease.py", _unit("weighting", "relative_decrease")),
    Target("weighting/stabilization.py", WEIGHTS),
    Target("knockoffs/base.py", KNOCKOFFS, NOT_DEEP),
    Target("knockoffs/diagnostics.py", KNOCKOFFS, NOT_DEEP),
    Target("knockoffs/elastic_net.py", KNOCKOFFS, NOT_DEEP),
    Target("knockoffs/gaussian.py", KNOCKOFFS, NOT_DEEP),
    Target("knockoffs/multinomial.py", KNOCKOFFS, NOT_DEEP),
    Target("knockoffs/s_matrix.py", KNOCKOFFS, NOT_DEEP),
    Target("knockoffs/sequential.py", KNOCKOFFS, NOT_DEEP),
    Target("importance/boruta_selection.py", BORUTA, ("-k", "boruta")),
    Target("importance/out_of_bag_permutation.py", BORUTA, ("-k", "boruta")),
    Target("importance/row_differences.py", CROSS_FITTED),
    Target("importance/conditional_predictive_impact.py", CPI),
    Target("importance/conditional_subgroups.py", RIVALS),
    Target("importance/leave_one_covariate_out.py", RIVALS),
    Target("importance/losses.py", (*RIVALS, *CPI)),
    Target("importance/model_columns.py", (*CPI, *RIVALS)),
    Target("importance/model_view.py", (*CPI, *RIVALS)),
    Target("importance/one_sided_tests.py", TESTS_OF_DIFFERENCES),
    Target("importance/permutation_feature_importance.py", RIVALS),
    Target("importance/shapley_global_importance.py", RIVALS),
    Target("importance/actual_impurity_reduction.py", FORESTS),
    Target("importance/out_of_bag_mdi.py", FORESTS),
    Target("importance/permutation.py", FORESTS),
    Target("importance/split_improvements.py", FORESTS),
    Target("importance/unbiased_feature_importance.py", FORESTS),
    Target("importance/total_gain.py", BOOSTERS),
    Target("importance/tree_inner.py", BOOSTERS),
    Target("importance/residual*.py", RESIDUAL),
    Target("importance/result.py", (*FORESTS, *CPI)),
    Target("fitted_trees/forest_view.py", FORESTS),
    Target("fitted_trees/node_moments.py", FORESTS),
    Target("fitted_trees/booster.py", BOOSTERS),
    Target("trends/*.py", TRENDS),
    Target("metrics/decisions.py", _unit("metrics", "decisions")),
    Target("metrics/r*.py", (*_unit("metrics", "ranking", "record"), "tests/property")),
    Target("metrics/[nops]*.py", ("tests/unit/metrics",)),
    Target("forest/validation.py", FOREST),
    Target("study/design/[begiv]*.py", _unit("study", "grid_and_blocks", "errors_and_schema")),
    Target("study/files/[bdf]*.py", _unit("study", "digests", "grid_and_blocks")),
    Target("study/files/[hmn]*.py", BLOCKS),
    Target("study/files/r*.py", _unit("study", "digests", "trust", "grid_and_blocks")),
    Target("study/files/writing.py", _unit("study", "faults"), ("-k", "write")),
    Target("study/inspecting/crate.py", ARCHIVE_METADATA, NO_VALIDATOR),
    Target("study/inspecting/data_package.py", ARCHIVE_METADATA, NO_VALIDATOR),
    Target("study/inspecting/difference.py", _unit("study", "difference")),
    Target("study/inspecting/logs.py", _unit("study", "logs")),
    Target("study/inspecting/origin.py", TRUST, ("-k", "provenance")),
    Target("study/inspecting/*pack.py", ARCHIVES, ("-k", "archive or pack")),
    Target("study/inspecting/status.py", TRUST, ("-k", "status")),
    Target("study/inspecting/verify.py", TRUST, ("-k", "verify or recomputing or sample")),
    Target("study/inspecting/watching.py", _unit("study", "watching"), ("-k", "not interrupt")),
    Target("study/results/*.py", RESULTS),
    Target(
        "report/latex.py", ("tests/unit/report/test_typeset.py", "tests/unit/report/test_tables.py")
    ),
    Target("report/markdown.py", ("tests/unit/report/test_tables.py",)),
    Target("report/best_methods.py", _unit("report", "best_methods")),
    Target(
        "report/t*.py", ("tests/unit/report/test_typeset.py", "tests/unit/report/test_tables.py")
    ),
)

# File, what stands there once, what it was changed to, and what must notice.
SURVIVED_ONCE = (
    (
        "forest/validation.py",
        "int(float(value) * n_features + 1e-9)",
        "int(float(value) * n_features + 0.5)",
        Target("", _unit("forest", "bad_input")),
    ),
    (
        "weighting/losaw_weights.py",
        "a = in_range(a - w @ a)",
        "a = in_range(a - a.mean(axis=0))",
        Target("", _unit("weighting", "weights")),
    ),
    (
        "knockoffs/gaussian.py",
        "np.maximum(values, 0.0)",
        "np.maximum(values, 1e-3)",
        Target("", _unit("knockoffs", "samplers"), ("-k", "no_noise")),
    ),
    (
        "knockoffs/sequential.py",
        "return fit.mean + fit.residual_scale * rng",
        "return fit.mean + 0.9 * fit.residual_scale * rng",
        Target("", _unit("knockoffs", "samplers"), ("-k", "keep_the_variance")),
    ),
    (
        "knockoffs/sequential.py",
        "uniform = rng.random(n_rows) *",
        "uniform = 0.95 * rng.random(n_rows) *",
        Target("", _unit("knockoffs", "samplers"), ("-k", "keep_the_variance")),
    ),
    (
        "importance/one_sided_tests.py",
        "(1 + int((flipped >= mean).sum()))",
        "int((flipped >= mean).sum())",
        Target("", TESTS_OF_DIFFERENCES),
    ),
    (
        "importance/one_sided_tests.py",
        "n <= 50",
        "n <= 20",
        Target("", TESTS_OF_DIFFERENCES),
    ),
    (
        "importance/row_differences.py",
        "fold = explained(refit(model, train), rows.take(held), options)",
        "fold = explained(refit(model, rows.take(held)), rows.take(held), options)",
        Target("", CPI, ("-k", "cross_validation")),
    ),
    (
        "importance/boruta_selection.py",
        "limit = alpha / n_units",
        "limit = alpha",
        Target("", RIVALS, ("-k", "boruta")),
    ),
)
