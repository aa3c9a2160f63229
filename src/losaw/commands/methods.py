"""Your own methods and studies: check, new-method and new-study."""

import argparse

# What a study file says to use a method, by its kind.
_IN_A_STUDY = {
    "importance": "importances: [{name}]",
    "learner": "learners: {{{name}: {{learner: {name}}}}}",
    "generator": "generator: {{name: {name}}}",
    "metric": "metrics: {{{name}: {{}}}}",
    "drawing": "figures: {{my_figure: {{drawing: {name}, options: {{}}}}}}",
    "knockoff": "importances: {{CPI: {{importance: cpi-gaussian, sampler: {name}}}}}",
}


def check(options: argparse.Namespace) -> int:
    """Run the contract tests on a file of methods."""
    from losaw.contracts import check_file

    outcomes = check_file(options.file)
    for name, check, message in outcomes:
        print(
            f"{'ok    ' if not message else 'FAILED'} {name}: {check}{message and ': ' + message}"
        )
    if any(message for _, _, message in outcomes):
        return 1
    print(
        f"next: plugins: [{options.file}] in config/config.yaml, and in a file of config/studies:"
    )
    for registered in dict.fromkeys(name for name, _, _ in outcomes):
        kind, _, name = registered.partition(" ")
        print(f"  {_IN_A_STUDY[kind].format(name=name)}")
    return 0


def new_method(options: argparse.Namespace) -> None:
    """Write a starter file."""
    from losaw.contracts import new_method

    new_method(options.kind, options.file)
    print(f"wrote {options.file}; next: losaw check {options.file}")


def new_study(options: argparse.Namespace) -> None:
    """Write a small project that runs."""
    from losaw.contracts import new_study

    for path in new_study(options.folder):
        print(f"wrote {path}")
    print(f"next: cd {options.folder} && losaw run --jobs 2")
