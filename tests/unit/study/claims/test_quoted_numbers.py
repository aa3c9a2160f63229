"""Numbers in the sentences of claims and notes are those of the kept runs, also after more runs."""

import numpy as np
import pandas as pd
import pytest

from reference.repository import REPOSITORY

GRID = ["n_samples", "n_features", "phi", "function"]


def rows(study, **where):
    """The rows of a kept summary with these values."""
    summary = pd.read_csv(REPOSITORY / "reference" / study / "summary.csv")
    keep = [summary[name] == value for name, value in where.items()]
    return summary[np.logical_and.reduce(keep)]


def mean(study, *, digits=2, **where):
    """The mean of one row, in print."""
    (value,) = rows(study, **where)["mean"]
    return f"{value:.{digits}f}".removeprefix("0")


def rejections(learner, importance):
    """The rejections of X2 in all runs of Figure 2, and the number of runs."""
    own = rows("cpi_figure2", metric="rejected_X2", learner=learner, importance=importance)
    return f"{(own['mean'] * own['n_seeds']).sum():,.0f} of {own['n_seeds'].sum():,}"


def power(learner, importance):
    where = {"n_samples": 3000, "metric": "rejected_X3"}
    return mean("cpi_figure2", learner=learner, importance=importance, **where)


def auc(dataset, logit, importance="Abs-Train-PreDecomp"):
    where = {"dataset": dataset, "task": "classification", "noise": "standard-deviation"}
    where |= {"logit": logit, "importance": importance, "metric": "auc"}
    return mean("treeinner_table4", **where)


def network(metric, learner="losawGD", function="f10"):
    where = {"function": function, "independent_share": 0, "learner": learner, "metric": metric}
    return mean("losaw_network", **where)


def gains(functions, data_type):
    """losawRF − RF in R²_ind of all settings, and their errors."""
    own = rows("losaw_forest", metric="r2_ind", data_type=data_type)
    own = own[own["function"].isin(functions)].assign(variance=own["sd"] ** 2 / own["n_seeds"])
    wide = own.pivot(index=GRID, columns="learner", values=["mean", "variance"])
    return wide["mean"]["losawRF"] - wide["mean"]["RF"], np.sqrt(wide["variance"].sum(axis=1))


def ahead_and_behind():
    both = [gains(["f1", "f2", "f6"], kind) for kind in ("continuous", "discrete")]
    ratio = pd.concat([gain / error for gain, error in both])
    return f"in {(ratio > 3).sum()} of {len(ratio)} settings and behind in {(ratio < -3).sum()}"


def behind_in_f5():
    few = [gains(["f5"], "continuous")[0][5000, 10, phi, "f5"] for phi in (0.1, 1.0)]
    return "(ours {} and {})".format(*(f"{-gain:.3f}".removeprefix("0") for gain in few))


def undecidable():
    cells = discrete_cells()[0].query("metric == 'r2_ind' and n_samples == 500")
    return f"{(cells['runs_to_decide'] == 'never').sum()} of {len(cells)}"


def boruta():
    where = {"n_samples": 3000, "n_trees": 500, "metric": "confirmed_irrelevant_categorical"}
    (row,) = rows("cpi_figure40", **where).itertuples()
    total = 2 * row.n_seeds
    return f"{row.mean:.2f}"[1:] + f" here ({row.mean * total:.0f} of {total} decisions)"


def lengths(importance):
    metrics = ("rejected_x_length", "rejected_y_width", "rejected_z_depth")
    own = [
        mean("cpi_figure5", learner="RF", importance=importance, metric=metric)
        for metric in metrics
    ]
    return "{}, {} and {}".format(*own).replace(".00", "0")


def loecher():
    own = [mean("others_loecher", digits=3, importance=name) for name in ("MDI", "MDA", "AIR")]
    return "in place of {}, {} and {}".format(*own)


def discrete_cells():
    """The cells of losaw's tables of discrete features, of two prints of one the first."""
    cells = pd.read_csv(REPOSITORY / "reference" / "losaw_forest" / "comparison.csv")
    cells = cells[(cells["data_type"] == "discrete") & cells["published"].notna()]
    return cells, cells.drop_duplicates([*GRID, "method", "metric"])


def far_at_5000():
    own = discrete_cells()[1].query("metric == 'r2_ind' and n_samples == 5000")
    squares = ((own["reproduced"] - own["published"]) ** 2).groupby(own["method"]).mean()
    far = 1000 * np.sqrt(squares[["RF", "losawRF"]])
    return "furthest at 5,000 (.{:03.0f}, .{:03.0f})".format(*far)


def signs_as_printed():
    own = discrete_cells()[1].query("metric == 'pr_auc'")
    wide = own.pivot(index=GRID, columns="method", values=["published", "reproduced"])
    gain = {
        v: np.sign((wide[v]["losawRF"] - wide[v]["RF"]).round(9)) for v in wide.columns.levels[0]
    }
    is_as_printed = (gain["reproduced"] == gain["published"])[gain["published"] != 0]
    shares = 100 * is_as_printed.groupby("n_samples").mean()
    return "in pr-AUC in .{:02.0f} and .{:02.0f}".format(*shares)


def discrete_cells_that_differ():
    cells = discrete_cells()[0]
    cells = cells[cells["verdict"] == "differs"]
    n_ind = (cells["metric"] == "r2_ind").sum()
    return f"N = 500: {n_ind} in R²_ind, most", f"{len(cells)} of 588 cells"


def ahead_of_cforest():
    of = {"levels": "zero-to-i", "max_depth": 10, "metric": "signal_rank"}
    ranks = {
        (name, task): rows("ufi_table1", importance=name, task=task, **of)["mean"].iloc[0]
        for name in ("UFI", "cforest")
        for task in ("regression", "classification")
    }
    ahead = ranks["cforest", "regression"] - ranks["UFI", "regression"]
    behind = ranks["UFI", "classification"] - ranks["cforest", "classification"]
    return (
        f"UFI is ahead by .{100 * ahead:02.0f} ranks in regression and cforest by "
        f".{100 * behind:02.0f} in"
    )


LOSAW, CPI, TREES = (f"config/claims/{name}.yaml" for name in ("losaw", "cpi", "treeinner"))
LAW, NOTE = "reference/discrete_law.md", "config/studies/cpi_figure2.yaml"
QUOTED = (
    (LOSAW, lambda: f"losawGD is {network('r2_test')} (standard error"),
    (LOSAW, lambda: f"in place of {network('fi_gap', 'CNN', 'f8')} (published .19"),
    (LOSAW, ahead_and_behind),
    (LOSAW, behind_in_f5),
    (LOSAW, lambda: f"{undecidable()} of R²_ind at N = 500"),
    (LAW, lambda: f"{undecidable()} cells of R²_ind"),
    (LAW, lambda: f"({network('r2_test')} and {network('r2_ind')}, published .37 and .14)"),
    (CPI, lambda: f"in {rejections('codes', 'gaussian')} and {rejections('codes-deep', 'deep')}"),
    (CPI, lambda: f"{power('codes', 'gaussian')} on codes and {power('dummies', 'gaussian')} on"),
    (NOTE, lambda: f"{power('codes', 'gaussian')} with Gaussian knockoffs of codes, "),
    (NOTE, lambda: f"{power('dummies', 'gaussian')} with Gaussian knockoffs of dummies, "
                   f"and {power('codes', 'sequential')} and 1.00 with sequential"),
    (CPI, boruta),
    (CPI, lambda: f"depth in {lengths('CPIseq')}, LOCO in {lengths('LOCO')}."),
    (TREES, lambda: f"{auc('ChIP', 'notebook')} in place of {auc('ChIP', 'printed')} for Abs)"),
    (TREES, lambda: f"{auc('ChIP', 'printed')} in place of {auc('ChIP', 'notebook')} for Abs"),
    (TREES, lambda: f"notebook's {auc('Simulated', 'notebook')} in place of "
                    f"{auc('Simulated', 'printed')} (published .66)"),
    (TREES, lambda: f"trees' is ({auc('Simulated', 'printed')} in place of "
                    f"{auc('Simulated', 'printed', 'EnsembleAbs-Train-PreDecomp')}, published"),
    ("config/claims/others.yaml", loecher),
    ("config/claims/ufi.yaml", ahead_of_cforest),
    (LAW, far_at_5000),
    (LAW, signs_as_printed),
    (LAW, lambda: discrete_cells_that_differ()[0]),
    (LAW, lambda: discrete_cells_that_differ()[1]),
    (LOSAW, lambda: discrete_cells_that_differ()[1]),
)  # fmt: skip


@pytest.mark.parametrize(("file", "words"), QUOTED)
def test_a_sentence_quotes_the_kept_runs(file, words):
    text = " ".join((REPOSITORY / file).read_text(encoding="utf-8").split())
    assert words() in text


def test_the_tables_of_others_are_weighed_as_the_readme_says():
    kept = REPOSITORY / "reference"
    names = ["others_xplainfi", "others_xplainfi_ewald"]
    z = pd.concat([pd.read_csv(kept / name / "comparison.csv")["z"] for name in names])
    words = (kept / "README.md").read_text(encoding="utf-8")
    assert f"Of {len(z)} cells of xplainfi's benchmark none is beyond three errors" in words
    assert f"the root mean square of z is {np.sqrt((z**2).mean()):.2f}." in words
    assert z.abs().max() < 3
