"""Two forests of R, for comparison: ranger's corrected impurity and party's cforest.

Optional: they run where ``Rscript`` and the R package are installed (Debian: r-cran-ranger,
r-cran-party). Data and models travel through files in a temporary folder.
"""

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import mode
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray, default_feature_names
from losaw.rng import as_generator, seed_integer
from losaw.study.learners.encoded import nominal_columns
from losaw.study.learners.two_tasks import TwoTaskLearner
from losaw.support.arguments import whole_number

_READ = """
# R takes a column whose values are all whole for integers, so of the training rows for another type
# than of the test rows, which party refuses.
data <- read.csv("rows.csv", colClasses = "numeric")
classify <- {classify}
levels <- list({levels})
for (name in names(levels)) data[[name]] <- factor(data[[name]], levels = levels[[name]])
"""
_FIT = """
if (classify) data$y <- factor(data$y, levels = c(0, 1))
set.seed({seed})
{fit}
saveRDS(model, "model.rds")
write.csv(data.frame(importance = unname(scores[setdiff(names(data), "y")])), "out.csv")
"""
_PREDICT = """
model <- readRDS("model.rds")
{predict}
write.csv(data.frame(outcome = as.numeric(outcome)), "out.csv")
"""


@functools.cache
def missing(package: str) -> str:
    """Return the reason that an R package cannot be used; empty if it can."""
    program = shutil.which("Rscript")
    if program is None:
        return f"Rscript is not installed (Debian: apt-get install r-cran-{package})"
    check = f"quit(status = !requireNamespace('{package}', quietly = TRUE))"
    done = subprocess.run([program, "-e", check], capture_output=True, check=False)
    return (
        "" if done.returncode == 0 else f"R has no package {package!r} (Debian: r-cran-{package})"
    )


def run_script(folder: Path, script: str) -> FloatArray:
    """Run an R script in ``folder`` and read the numbers that it writes to ``out.csv``."""
    (folder / "script.R").write_text(script, encoding="utf-8")
    command = ["Rscript", "--vanilla", "script.R"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"R failed: {done.stderr.strip()[-400:]}")
    return np.loadtxt(folder / "out.csv", delimiter=",", skiprows=1, usecols=1, ndmin=1)


@dataclass(eq=False, repr=False, kw_only=True)
class _RForest(TwoTaskLearner):
    """A forest whose fit, scores and predictions each take an R process."""

    package: ClassVar[str]
    predict_call: ClassVar[str]
    n_estimators: int = 100
    # Columns of X that R sees as factors, with the levels of the training sample. A row with
    # another level is predicted as if it had the training sample's most frequent level.
    nominal: Sequence[int] = ()

    @classmethod
    def unavailable(cls) -> str:
        """Return the reason that it cannot run here; empty if it can."""
        return missing(cls.package)

    def fit_call(self, n_features: int) -> str:
        raise TypeError(f"{type(self).__name__} has no call")

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to X (n_samples, n_features) and y (n_samples,), classes 0 and 1."""
        reason = self.unavailable()
        if reason:
            raise RuntimeError(reason)
        rows, response = self._read(X, y)
        self.learn_levels(rows)
        seed = seed_integer(as_generator(self.random_state))
        script = _FIT.replace("{fit}", self.fit_call(rows.shape[1])).replace("{seed}", str(seed))
        self.feature_importances_, self.model_ = self._run(script, rows, y=response)
        return self

    def _outcome(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        script = _PREDICT.replace("{predict}", self.predict_call)
        return self._run(script, self.with_known_levels(rows), self.model_)[0]

    def _run(
        self, script: str, rows: FloatArray, model: bytes = b"", **response: FloatArray
    ) -> tuple[FloatArray, bytes]:
        """Run a script on rows, and on a model for predictions; return its numbers and model."""
        header = ",".join([*default_feature_names(rows.shape[1]), *response])
        table = np.column_stack([rows, *response.values()])
        with tempfile.TemporaryDirectory() as name:
            folder, stored = Path(name), Path(name, "model.rds")
            stored.write_bytes(model)
            np.savetxt(
                folder / "rows.csv", table, delimiter=",", header=header, comments="", fmt="%.17g"
            )
            return run_script(folder, self._reading() + script), stored.read_bytes()

    def learn_levels(self, rows: FloatArray) -> None:
        nominal = nominal_columns(self.nominal, rows.shape[1])
        self.levels_ = {c: np.unique(rows[:, c]) for c in nominal}
        self.most_frequent_ = {c: mode(rows[:, c]).mode for c in nominal}

    def with_known_levels(self, rows: FloatArray) -> FloatArray:
        """Replace levels that the training sample lacks, which R refuses, by its most frequent."""
        rows = rows.copy()
        for c, values in self.levels_.items():
            rows[~np.isin(rows[:, c], values), c] = self.most_frequent_[c]
        return rows

    def _reading(self) -> str:
        levels = ", ".join(
            f"X{c + 1} = c({', '.join(f'{value:.17g}' for value in values)})"
            for c, values in self.levels_.items()
        )
        return _READ.format(classify="TRUE" if self._classifies else "FALSE", levels=levels)


@dataclass(eq=False, repr=False, kw_only=True)
class CorrectedImpurityForest(_RForest):
    """R's ranger with ``importance = "impurity_corrected"`` (Nembrini, König and Wright 2018).

    Its scores are ranger's, not divided by the numbers of rows or trees.
    """

    package = "ranger"
    predict_call = """
suppressMessages(library(ranger))
suppressWarnings(trees <- predict(model, data, predict.all = TRUE, num.threads = 1)$predictions)
outcome <- if (classify) rowMeans(trees == which(model$forest$levels == "1")) else rowMeans(trees)
"""

    max_depth: int | None = None

    def fit_call(self, n_features: int) -> str:
        n_trees = whole_number("n_estimators", self.n_estimators, 1)
        depth = 0 if self.max_depth is None else whole_number("max_depth", self.max_depth, 1)
        return f"""
model <- ranger::ranger(
  y ~ ., data, num.trees = {n_trees}, max.depth = {depth},
  importance = "impurity_corrected", num.threads = 1, seed = {{seed}})
scores <- model$variable.importance
"""


@dataclass(eq=False, repr=False, kw_only=True)
class ConditionalForest(_RForest):
    """R's party::cforest with its permutation importance ``varimp`` (Hothorn et al. 2006).

    Five features are drawn at a node, as is cforest's default, and rows with replacement;
    cforest's own default is 500 trees.
    """

    package = "party"
    predict_call = """
suppressMessages(library(party))
outcome <- if (classify) {
  sapply(predict(model, newdata = data, type = "prob"), function(one) one[2])
} else {
  predict(model, newdata = data)
}
"""

    # Smallest test statistic of a split: 1.28 (cforest's default) and 2.33 are the 90 and 99 %
    # points of the normal law, which the UFI paper takes for deep and shallow trees.
    mincriterion: float = 1.28

    def fit_call(self, n_features: int) -> str:
        n_trees = whole_number("n_estimators", self.n_estimators, 1)
        return f"""
suppressMessages(library(party))
control <- cforest_control(
  teststat = "max", testtype = "Teststatistic", mincriterion = {float(self.mincriterion)},
  ntree = {n_trees}, mtry = {min(5, n_features)},
  replace = TRUE)
model <- cforest(y ~ ., data, controls = control)
scores <- varimp(model)
"""
