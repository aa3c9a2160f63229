"""The studies of the CPI paper are valid, and metric panels show the collected numbers.

Of report.drawings.metric_panels, report.drawings.pooled_runs,
report.drawings.tested_importances.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

from losaw.report import figures
from losaw.report.drawings import metric_panels, pooled_runs, tested_importances
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.study.design.grid import Study
from losaw.study.design.published import read_published
from losaw.study.design.validation import validate
from losaw.study.results.collect import settings_frame
from losaw.study.results.lookup import cells, table_title

CONFIG = Path(__file__).parents[3] / "config"
NAMES = sorted(path.stem for path in CONFIG.glob("studies/cpi_*.yaml"))
OPTIONS = {
    "panel_metrics": {"X3": ["rejected_X3"], "X1": ["rejected_X1"]},
    "axis": "n_samples",
    "methods": ["sequential codes", "gaussian dummies"],
}


def study_of(name):
    return Study(CONFIG / "studies" / f"{name}.yaml")


def made_results(study, folder, n_seeds=5):
    rng = np.random.default_rng(0)
    rows = []
    for record in settings_frame(study).to_dict("records"):
        for metric in study.metrics:
            for method in study.methods_of(metric):
                numbers = {"mean": rng.random(), "sd": 0.2, "mc_se": 0.1, "n_seeds": n_seeds}
                rows.append({**record, "metric": metric, "method": method, **numbers})
    pd.DataFrame(rows).to_csv(folder / "summary.csv", index=False)
    printed = read_published(study, CONFIG / "published")
    printed.to_csv(folder / "comparison.csv", index=False)
    return StudyResults(folder)


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_studies_and_their_figures_are_valid(name):
    validate(study_of(name))
    figures.check_figures(study_of(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_printed_number_has_its_cell(name):
    study = study_of(name)
    known = {
        (table_title(table), *(str(value) for value in setting.axes.values()), metric, method)
        for table, setting, metric, method in cells(study)
    }
    for row in read_published(study, CONFIG / "published").to_dict("records"):
        axes = [str(row[axis]) for axis in study.axes]
        assert (row["table"], *axes, row["metric"], row["method"]) in known


def test_lines_show_the_means_along_the_axis(tmp_path):
    study = study_of("cpi_figure2")
    results = made_results(study, tmp_path)
    figure = metric_panels.draw(study, results, **OPTIONS)
    line = figure.axes[0].containers[0].lines[0]
    summary = results.summary
    shown = summary[
        (summary["metric"] == "rejected_X3") & (summary["method"] == "sequential codes")
    ]
    assert line.get_xdata().tolist() == shown["n_samples"].tolist()
    assert line.get_ydata().tolist() == shown["mean"].tolist()


def test_one_method_needs_no_legend_and_few_places_no_turned_labels(tmp_path):
    study = study_of("losaw_network_eta")
    options = {"panel_metrics": {"pr-AUC": ["pr_auc"]}, "axis": "eta"}
    one = metric_panels.draw(
        study,
        made_results(study, tmp_path),
        methods=["losawGD"],
        where={"n_features": 1000},
        **options,
    )
    assert one.legends == []
    assert {label.get_rotation() for label in one.axes[0].get_xticklabels()} == {0}
    study = study_of("cpi_figure2")
    several = metric_panels.draw(study, made_results(study, tmp_path), **OPTIONS)
    assert len(several.legends) == 1
    assert {label.get_rotation() for label in several.axes[0].get_xticklabels()} == {60}


def measured(study, folder, metric, n_seeds=6):
    """One value a run: the setting's number along the grid plus the seed's."""
    rows = [
        {"setting_id": setting.identifier, "learner": learner, "importance": "", "seed": seed,
         "metric": metric, "value": number + seed / 10, "status": "ok"}
        for number, setting in enumerate(study.settings)
        for learner in study.learners
        for seed in range(n_seeds)
    ]  # fmt: skip
    rows.append({**rows[0], "value": np.nan, "status": "failed"})
    pd.DataFrame(rows).to_parquet(folder / "results.parquet")
    return StudyResults(folder)


def test_pooled_runs_take_all_settings_of_a_place_together(tmp_path):
    study = study_of("cpi_figure8")
    options = {"metric": "optimum_gap", "axis": "n_samples", "methods": ["LM", "RF-codes"]}
    results = measured(study, tmp_path, "optimum_gap")
    figure = pooled_runs.draw(study, results, shape="deviations", **options)
    line = figure.axes[0].containers[0].lines[0]
    numbers = np.arange(len(study.settings)).reshape(-1, 5)  # the axis runs fastest
    np.testing.assert_allclose(line.get_ydata().astype(float), numbers.mean(axis=0) + 0.25)
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == [
        "100", "250", "500", "750", "1000",
    ]  # fmt: skip
    violins = pooled_runs.draw(study, results, line=0, **options).axes[0]
    assert len(violins.collections) == 10
    assert len(violins.patches) == 10
    one = pooled_runs.draw(study, results, panels=["beta"], where={"beta": 0.9}, **options)
    assert len(one.axes) == 1
    nothing = pooled_runs.draw(study, results, where={"beta": 0.7}, **options)
    assert [text.get_text() for text in nothing.texts] == ["none of these settings was run"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"methods": ["LMs"]}, "methods: unknown method 'LMs'; did you mean 'LM'"),
        ({"shape": "violin"}, "shape: unknown shape 'violin'; did you mean 'violins'"),
    ],
)
def test_names_that_pooled_runs_cannot_draw_are_refused(changes, message):
    options = {"metric": "optimum_gap", "axis": "n_samples", "methods": ["LM"], **changes}
    with pytest.raises(OptionError, match=message):
        pooled_runs.draw(study_of("cpi_figure8"), None, **options)


def test_printed_numbers_are_open_markers(tmp_path):
    study = study_of("cpi_figure2")
    figure = metric_panels.draw(study, made_results(study, tmp_path), printed="figure_2", **OPTIONS)
    open_markers = [line for line in figure.axes[0].lines if line.get_markerfacecolor() == "none"]
    assert open_markers[0].get_ydata().tolist() == [0.364, 0.49, 0.62, 0.904, 0.992, 0.998, 1.0]


def test_printed_places_have_ticks_also_where_nothing_was_run(tmp_path):
    study = study_of("cpi_figure2")
    results = made_results(study, tmp_path)
    results.summary.loc[results.summary["n_samples"] != 500, "n_seeds"] = 0
    figure = metric_panels.draw(study, results, printed="figure_2", **OPTIONS)
    assert figure.axes[0].get_xticks().tolist() == [500, 750, 1000, 2000, 3000, 5000, 7000]


def test_a_figure_without_results_says_so(tmp_path):
    study = study_of("cpi_figure2")
    figure = metric_panels.draw(study, made_results(study, tmp_path, n_seeds=0), **OPTIONS)
    assert "none of these settings was run" in figure.texts[0].get_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["sequential"]}, "methods: unknown method 'sequential'"),
        ({"panel_metrics": {"X1": ["rejected"]}}, "panel_metrics: unknown metric 'rejected'"),
        ({"spread": "range"}, "spread: unknown spread 'range'"),
        ({"printed": "figure_3"}, "printed: unknown table 'figure_3'"),
        ({"where": {"rho": 1}}, "where: unknown axis 'rho'"),
    ],
)
def test_bad_options_are_named(change, message, tmp_path):
    study = study_of("cpi_figure2")
    with pytest.raises(OptionError, match=message):
        metric_panels.draw(study, made_results(study, tmp_path), **{**OPTIONS, **change})


def two_runs(study, folder):
    """Two runs of one setting: CPIseq rejects its first feature twice, its second once."""
    features, p_values = ["carat", "cut", "table"], ([0.01, 0.01, 0.9], [0.02, 0.3, 0.7])
    rows = [
        {
            "setting_id": study.settings[0].identifier,
            "learner": "RF",
            "importance": name,
            "seed": seed,
            "scores": [3.0, 2.0, float(seed)],
            "features": features,
            "signal": [],
            "p_values": p_values[seed] if name == "CPIseq" else None,
        }
        for name in ("CPIseq", "PFI")
        for seed in (0, 1)
    ]
    pd.DataFrame(rows).to_parquet(folder / "scores.parquet")
    return StudyResults(folder)


def test_bars_tell_rejected_features_from_others_and_from_untested_ones(tmp_path):
    study = study_of("cpi_figure5")
    figure = tested_importances.draw(
        study, two_runs(study, tmp_path), learner="RF", importances=["CPIseq", "CS", "PFI"]
    )
    tested, untested = (ax for ax in figure.axes if ax.get_visible())
    assert [bar.get_width() for bar in tested.patches[:3]] == [3.0, 2.0, 0.5]
    first, second, third = (bar.get_facecolor() for bar in tested.patches[:3])
    assert first == second != third
    assert [text.get_text() for text in tested.texts] == ["100%", "50%", "0%"]
    assert {bar.get_facecolor() for bar in untested.patches[:3]}.isdisjoint({first, third})
    assert not untested.texts


def test_a_learner_that_was_not_run_leaves_a_note_not_an_error(tmp_path):
    study = study_of("cpi_figure5")
    figure = tested_importances.draw(
        study, two_runs(study, tmp_path), learner="NN", importances=["PFI"]
    )
    assert "not run" in figure.texts[0].get_text()


def size_of_the_sign_test(n_rows, alpha=0.05):
    """Probability that it rejects if signs are fair."""
    return max(p for p in binom.sf(np.arange(-1, n_rows + 1), n_rows, 0.5) if p <= alpha)


def test_the_sizes_beside_the_type_1_errors_are_those_of_theory():
    printed = pd.read_csv(CONFIG / "published" / "cpi_type1.csv")
    chosen = printed.set_index(["n_samples", "outcome", "metric", "method"]).sort_index()[
        "published"
    ]
    rng = np.random.default_rng(0)
    for n_samples, n_test in ((100, 34), (250, 85)):
        here = chosen[n_samples, "regression"]
        assert here["rejected_X2", "gauss-binomial LM"] == pytest.approx(
            size_of_the_sign_test(n_test), abs=5e-5
        )
        for metric, columns in (("rejected_X1", 3), ("rejected_X2", 1)):
            costs = np.sqrt(rng.chisquare(columns, 200_000) * n_test / (n_samples - n_test)) / 2
            values = norm.cdf(norm.ppf(0.05) - costs)
            assert here[metric, "loco-t LM"] == pytest.approx(
                values.mean(), abs=4 * values.std() / np.sqrt(200_000) + 5e-5
            )
