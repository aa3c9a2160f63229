# What `snakemake --report` shows of a study: its figures and tables, with the captions in ../report.
#
# `snakemake --lint` asks for a conda environment or a container for each rule. No rule has one, on
# purpose: all rules run this checkout's own losaw in the environment that Snakemake itself runs in
# (`make install`, environment.yml or the Dockerfile), and an environment of a rule would not have
# it. That is its only finding; tests/workflow/test_conventions.py says when there is another.
SHOWN = {".png": "figure", ".csv": "table"}


def shown(name, files):
    found = []
    for file in files:
        kind = SHOWN.get(Path(file).suffix)
        if kind is not None:
            labels = {"study": name, kind: Path(file).stem.replace("_", " ")}
            caption = f"../report/{kind}.rst"
            file = report(file, caption=caption, category=f"{kind}s", labels=labels)
        found.append(file)
    return found
