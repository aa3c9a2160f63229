"""Fit of the diamonds' network on raw and standardised inputs, ours and R's nnet (2 minutes).

    LOSAW_DATA=FOLDER python benchmarks/diamonds_network.py

One split of the data (Blesch et al. 2023, D), two starts of each network; R² on the test rows.
Ours standardises all encoded columns, the R code the numeric ones. nnet (R) takes part where it is
installed.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from losaw.generators.diamonds import DiamondsGenerator
from losaw.learners.single_layer_network import SingleLayerNetwork

NOMINAL = [1, 2, 3]
STARTS = 2

NNET = """
library(nnet)
f <- commandArgs(TRUE)
a <- read.csv(f[1], header = FALSE); b <- read.csv(f[2], header = FALSE)
for (j in 2:4) {
  l <- sort(unique(c(a[[j]], b[[j]])))
  a[[j]] <- factor(a[[j]], l); b[[j]] <- factor(b[[j]], l)
}
show <- function(name, a, b, ...) {
  model <- nnet(V10 ~ ., a, size = 100, decay = .15, linout = TRUE, MaxNWts = 1e5,
                trace = FALSE, ...)
  p <- predict(model, b)
  cat(name, round(1 - sum((b$V10 - p)^2) / sum((b$V10 - mean(b$V10))^2), 3), "\\n")
}
for (s in 1:as.integer(f[3])) { set.seed(s); show("nnet, raw:", a, b) }
set.seed(1); show("nnet, raw, 1000 iterations:", a, b, maxit = 1000)
for (j in c(1, 5:9)) {
  m <- mean(a[[j]]); s <- sd(a[[j]])
  a[[j]] <- (a[[j]] - m) / s; b[[j]] <- (b[[j]] - m) / s
}
for (s in 1:as.integer(f[3])) { set.seed(s); show("nnet, standardised:", a, b) }
"""


def main():
    data = DiamondsGenerator().sample(np.random.default_rng(0))
    variance = np.var(data.test.y)
    for scale in (False, True):
        for start in range(STARTS):
            network = SingleLayerNetwork(
                nominal=NOMINAL, n_units=100, decay=0.15, scale=scale, random_state=start
            ).fit(*data.train)
            error = np.mean((data.test.y - network.predict(data.test.X)) ** 2)
            name = "standardised" if scale else "raw"
            print(f"losaw, {name}: {1 - error / variance:.3f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / name) for name in ("train.csv", "test.csv")]
        for file, rows in zip(files, (data.train, data.test), strict=True):
            np.savetxt(file, np.column_stack([rows.X, rows.y]), delimiter=",", fmt="%.6g")
        try:
            subprocess.run(["Rscript", "-e", NNET, *files, str(STARTS)], check=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            print("nnet: not run, R with the package nnet was not found")


if __name__ == "__main__":
    main()
