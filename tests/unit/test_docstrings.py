"""The public docstrings, by numpydoc's own validator."""

import importlib
import importlib.util
import inspect
import re
from pathlib import Path

import pytest

validate = pytest.importorskip("numpydoc.validate")
docscrape = pytest.importorskip("numpydoc.docscrape")

_place = Path(__file__).parents[2] / "docs" / "generate.py"
_spec = importlib.util.spec_from_file_location("generate", _place)
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)

# Every other check of numpydoc holds.
NOT_ASKED = {
    "ES01": "a sentence may be enough",
    "EX01": "test_documentation.py says which names have an example and runs it",
    "PR03": "a keyword's place says nothing: a method's own come after those that all share",
    "PR04": "what another docstring says of a parameter is not said again: 'As in cpi.'",
    "PR06": "it takes 'boolean mask' for the type bool",
    "PR07": "name, type and default may say it",
    "RT03": "the summary may say it",
    "SA01": "what belongs together is linked where it is spoken of",
    "SS03": "a summary may go on into its formula; else it ends in a full stop, see below",
    "SS05": "it takes plurals for verbs of the third person",
}
# Not written yet; nothing may be added.
WITHOUT = {
    "losaw.forest.Tree",
    "losaw.forest.plot_diagnostics",
    "losaw.weighting.NormalDensity.density",
    "losaw.weighting.weighted_correlations",
}


def public_objects():
    """Dotted name -> object: functions, classes, and the classes' own public methods."""
    objects = {}
    for module, name in generate.every_public_name():
        value = getattr(importlib.import_module(module), name)
        objects[f"{module}.{name}"] = value
        if inspect.isclass(value):
            for method, function in vars(value).items():
                if not method.startswith("_") and inspect.isfunction(function):
                    objects[f"{module}.{name}.{method}"] = function
    # What is offered in two places counts once.
    last = {id(value): name for name, value in objects.items()}
    return {name: value for name, value in objects.items() if last[id(value)] == name}


OBJECTS = public_objects()


def told(name, value):
    """Parameters that a docstring describes in another section than Parameters."""
    text = inspect.getdoc(value)
    attributes = docscrape.NumpyDocString(text)["Attributes"]
    named = {part.strip() for entry in attributes for part in entry.name.split(",")}
    named |= set(re.findall(r"``(\w+)", text))
    if getattr(value, "_is_protocol", False):  # is never made: it has the signature of object
        named |= {"*args", "**kwargs"}
    return named


@pytest.mark.parametrize("name", sorted(set(OBJECTS) - WITHOUT))
def test_a_public_docstring_passes_numpydocs_checks(name):
    value = OBJECTS[name]
    docstring = validate.Validator(validate.get_doc_object(value))
    # A method of one sentence: what it takes is said by the class or by the contract it fulfils.
    is_sentence = not (docstring.extended_summary or docstring.doc_all_parameters)
    is_method = inspect.isclass(OBJECTS.get(name.rpartition(".")[0]))
    problems = {}
    for code, message in validate.validate(name)["errors"]:
        if code in NOT_ASKED or (code in ("RT01", "YD01") and is_sentence):
            continue
        if code == "PR01":
            missing = set(re.findall(r"'([^']+)'", message)) - told(name, value)
            if not missing or (is_method and is_sentence):
                continue
            message = f"not documented: {', '.join(sorted(missing))}"
        problems[code] = message
    assert problems == {}


@pytest.mark.parametrize("name", sorted(set(OBJECTS) - WITHOUT))
def test_a_summary_is_one_line_that_ends_or_leads_into_a_formula(name):
    summary, _, rest = inspect.getdoc(OBJECTS[name]).partition("\n\n")
    leads_on = rest.startswith(("    ", ".. math")) and summary[-1] in ",:"
    assert summary.endswith((".", "?")) or leads_on


def test_what_is_not_written_yet_is_there():
    assert set(OBJECTS) >= WITHOUT
