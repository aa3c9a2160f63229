"""Names of importances, and users' files: each loaded once, its mistakes located."""

import inspect
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import losaw.importance
from losaw.cli import main
from losaw.knockoffs.sampler import SAMPLERS
from losaw.study import registry
from losaw.study.contracts import example_data, fitted
from losaw.study.registry import entries, get
from losaw.study.registry.catalogue import USES
from losaw.study.registry.plugins import PluginError, load_plugin, plugin_entries
from losaw.study.registry.versions import version_of

pytestmark = pytest.mark.usefixtures("plugins_forgotten")

SAMPLER = Path(__file__).parents[4] / "examples" / "sampler.py"
METRIC = """
from losaw.study.registry import register

LOADS = []

@register("metric", "{name}")
class Nothing:
    pass

LOADS.append(1)
"""
DRAW = '@__import__("losaw.study.registry").study.registry.register("generator", "laws")\n'
NAMED = "from losaw.study.registry import register\n@register('metric', {})\nclass One: ...\n"
OF_OURS = "import losaw\nfrom losaw.study.registry import register\n" + (
    "register('importance', 'h')(losaw.importance."
)


def write(folder, text, name="mine.py"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_plugin_is_a_module_named_after_its_file_which_runs_once(tmp_path, monkeypatch):
    module = load_plugin(write(tmp_path, METRIC.format(name="plugin-metric")))
    assert module.__name__ == "losaw_plugin_mine"
    assert registry.get("metric", "plugin-metric").target == "losaw_plugin_mine:Nothing"
    assert registry.get("metric", "plugin-metric").load() is module.Nothing
    monkeypatch.chdir(tmp_path)
    assert load_plugin("mine.py") is module
    assert module.LOADS == [1]


def test_what_a_plugin_registers_is_known(tmp_path):
    text = METRIC.format(name="plugin-metric") + (
        "\nfrom losaw.study.registry import add\n"
        "add('learner', 'ridge', 'sklearn.linear_model:Ridge')\n"
    )
    path = write(tmp_path, text)
    names = [entry.name for entry in plugin_entries(path)]
    before = [version_of(entry) for entry in plugin_entries(path)]
    path.write_text(text + "# another parameter of ridge\n")
    after = [version_of(entry) for entry in plugin_entries(path)]
    assert all(old != new for old, new in zip(before, after, strict=True))
    registry.forget("sklearn.linear_model:Ridge")
    assert names == ["ridge", "plugin-metric"]


@pytest.mark.parametrize("text", ["from own import deep\n", "def f():\n    import own.deep as d\n"])
def test_a_plugin_is_its_local_modules_too(tmp_path, monkeypatch, text):
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("own", "own.deep", "own.helper"):  # of the other text
        monkeypatch.delitem(sys.modules, name, raising=False)
    package = tmp_path / "own"
    package.mkdir()
    for file in ("__init__.py", "aside.py", "helper.py"):
        write(package, "", file)
    write(package, "from . import helper\nimport numpy, losaw.rng\n", "deep.py")
    path = write(tmp_path, METRIC.format(name="plugin-metric") + text)
    (entry,) = plugin_entries(path)
    seen = {version_of(entry)}
    for file in ("__init__.py", "deep.py", "helper.py"):
        (package / file).write_text((package / file).read_text() + "# edited\n")
        seen.add(version_of(entry))
    (package / "aside.py").write_text("# edited\n")
    assert len(seen) == 4 and version_of(entry) in seen


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\ny = 1 / 0\n", "mine.py: raised ZeroDivisionError: division by zero (mine.py:2)"),
        ("\n\nimport no_such_library\n", "'no_such_library' (mine.py:3); for a module of your own"),
        ("def f(:\n    pass\n", "mine.py: raised SyntaxError: invalid syntax (mine.py, line 1)"),
        ("import sys\n\n\nsys.exit(3)\n", "raised SystemExit: 3 (mine.py:4)"),
        (METRIC.format(name="pr_auc"), "choose another name (mine.py:6)"),
        (f"{DRAW}def draw(rng): ...\n{DRAW}def draw(rng): ...\n", "'laws': its name 'draw' means"),
        (f"{DRAW}def draw(rng): ...\ndraw = None\n", "'laws': its name 'draw' means"),
        (f"{DRAW}class D: ...\ndef D(rng): ...\n", "give each a name of its own"),
        (f"for _ in '12':\n    {DRAW}    def draw(rng): ...\n", "give each a name of its own"),
        (f"def a():\n    {DRAW}    def b(): ...\na()\n", "'a.<locals>.b' is not found"),
        (DRAW.strip()[1:] + "(lambda rng: 1)\n", "'<lambda>' is not found"),
        (NAMED.format(5), "metric: a name must be a text, got 5 (mine.py:2)"),
        (NAMED.format("' '"), "metric: a name must be a text, got ' '"),
        (NAMED.format(None), "metric: a name must be a text, got None"),
        (f"{OF_OURS}hierarchy)\n", "'h': studies have no use of losaw's hierarchy; register a"),
        (f"{OF_OURS}GroupTests)\n", "'h': studies have no use of losaw's GroupTests; register"),
        (f"import functools\n{DRAW.strip()[1:]}(functools.partial(int))\n", "'partial' is not"),
    ],
)
def test_a_plugin_that_raises_is_located_by_file_and_line(tmp_path, text, message):
    with pytest.raises(PluginError) as caught:
        load_plugin(write(tmp_path, text))
    assert message in str(caught.value)
    assert "losaw_plugin_mine" not in sys.modules


def test_a_function_with_options_gets_them_by_their_names(tmp_path):
    text = "def draw(rng, *, n=3, **options):\n    return n, options\n"
    text = text.replace("def draw", "REG\ndef draw") + text.replace("def draw", "REG\ndef also")
    for name in ("g", "h"):
        text = text.replace("REG", f"@register('generator', {name!r}, slope=2)", 1)
    load_plugin(write(tmp_path, f"from losaw.study.registry import register\n{text}"))
    assert get("generator", "g").create().sample(None) == (3, {"slope": 2})
    assert get("generator", "h").create(n=4, a=1).sample(None) == (4, {"slope": 2, "a": 1})


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("..x", "learner '..x': '.' cannot be imported: TypeError: "),
        (".x", "'' cannot be imported: ValueError: "),
        ("no_such.Model", "'no_such' cannot be imported: No module named"),
        ("broken.Model", "'broken' cannot be imported: SyntaxError: "),
        ("raising.Model", "'raising' cannot be imported: ZeroDivisionError: division by zero"),
        ("leaving.Model", "'leaving' cannot be imported: SystemExit: 3"),
    ],
)
def test_a_learner_whose_module_cannot_be_imported_is_named(tmp_path, monkeypatch, path, words):
    for name, text in (("broken", "def f(:"), ("raising", "1 / 0"), ("leaving", "exit(3)")):
        write(tmp_path, text, f"{name}.py")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(registry.RegistryError) as caught:
        get("learner", path)
    assert words in str(caught.value)


def test_a_mended_plugin_can_be_loaded_after_it_raised(tmp_path):
    path = write(tmp_path, METRIC.format(name="plugin-metric") + "\n1 / 0\n")
    with pytest.raises(PluginError):
        load_plugin(path)
    write(tmp_path, METRIC.format(name="plugin-metric") + "\n# fixed\n")
    assert [entry.name for entry in plugin_entries(path)] == ["plugin-metric"]


def test_a_second_file_of_the_same_name_is_refused(tmp_path):
    load_plugin(write(tmp_path, "x = 1", "one/mine.py"))
    with pytest.raises(PluginError, match=r"a plugin of the same name is loaded from .*one"):
        load_plugin(write(tmp_path, "x = 2", "two/mine.py"))


@pytest.mark.parametrize("name", ["my-method.py", "mine.txt", "1st.py"])
def test_a_file_that_is_not_named_like_a_module_is_refused(tmp_path, name):
    with pytest.raises(PluginError, match="name it like a Python module"):
        load_plugin(write(tmp_path, "x = 1", name))


@pytest.fixture(scope="module")
def fit():
    data = example_data()
    return fitted(get("learner", "random-forest").create(random_state=0), data), data


NAMES = {"pfi": "pfi-difference", "cpi": "cpi-conditional"}


@pytest.mark.parametrize("function", ["pfi", "cpi", "subgroups", "loco", "sage"])
def test_a_study_file_calls_the_function_on_unseen_rows(function, fit):
    model, data = fit[0], replace(fit[1], stream=None)  # its draws are then from the generator
    name, function = NAMES.get(function, function), getattr(losaw.importance, function)
    train = {"train": data.train} if name in ("subgroups", "loco") else {}
    names_and_kinds = {"feature_names": data.feature_names, "kinds": data.feature_kinds}
    expected = function(
        model, *data.test, **train, **names_and_kinds, random_state=np.random.default_rng(1)
    )
    found = get("importance", name).create().explain(model, data, np.random.default_rng(1))
    scores, error = expected.scores, expected.std_error
    if "repeats" in expected.details:  # the papers' median, and the error of its permutations
        scores = np.median(expected.details["repeats"], axis=0)
        error = expected.details["permutation_error"]
    np.testing.assert_array_equal(found.scores, scores)
    np.testing.assert_array_equal(found.std_error, error)
    assert found.method == expected.method


@pytest.mark.parametrize("streams", [True, False])
def test_a_sampler_of_a_plugin_is_the_studies_own(tmp_path, fit, streams):
    before = dict(SAMPLERS)
    load_plugin(write(tmp_path, SAMPLER.read_text()))
    (model, data), kinds = fit, {"sampler": "shuffled", "n_draws": 2}
    data = data if streams else replace(data, stream=None)
    found = (
        get("importance", "cpi-conditional")
        .create(**kinds)
        .explain(model, data, np.random.default_rng(0))
    )
    assert np.isfinite(found.scores).all()
    with pytest.raises(ValueError, match=r"sampler.*shuffled.*conditional"):
        losaw.importance.cpi(model, *data.test, sampler="shuffled")
    assert before == SAMPLERS


@pytest.mark.parametrize(("function", "name"), NAMES.items())
def test_a_name_has_the_defaults_of_the_library(function, name):
    parameters = inspect.signature(getattr(losaw.importance, function)).parameters
    for option, value in get("importance", name).create().parameters.items():
        assert value == parameters[option].default, option


def test_every_function_has_a_use_and_every_use_a_function():
    ours = [
        entry
        for entry in entries("importance")
        if "importances" in entry.target or ".importance." in entry.target
    ]
    assert {entry.target.partition(":")[2] for entry in ours} == set(USES)
    assert all(entry.accepted_parameters() is not None for entry in ours)


def test_names_and_drawings_are_listed(capsys):
    assert main(["list"]) == 0
    names = capsys.readouterr().out
    assert "importances\n" in names and "weighted-split" in names
    assert main(["list", "--drawings"]) == 0
    drawings = capsys.readouterr().out
    assert "importances\n" not in drawings and "metric-lines: " in drawings
    assert "  metric (needed)" in drawings


MORE = """
from losaw.study.registry import register


@register("{kind}", "{name}")
def _mine(study, results, *, colour):
    pass
"""


@pytest.mark.parametrize("is_broken", [False, True])
@pytest.mark.parametrize(
    ("options", "name", "of_a_study"),
    [
        ([], "  marginal-slopes ", "  made-elsewhere "),
        (["--drawings"], "of-mine: ", "drawn-elsewhere: "),
    ],
)
def test_names_of_plugins_are_listed_even_if_a_study_is_broken(
    project, capsys, options, name, of_a_study, is_broken
):
    project.extend_plugin(MORE.format(kind="drawing", name="of-mine"))
    kind = "drawing" if options else "estimator"
    own = project.folder / "elsewhere.py"
    own.write_text(MORE.format(kind=kind, name=of_a_study.strip(" :")))
    text = project.study_file.read_text().partition("published:")[0]
    other = text.replace("study: tiny", f"study: other\nplugins: [{own}]")
    project.study_file.with_name("other.yaml").write_text(other)
    if is_broken:
        project.edit("[reported]", "[no-such]")
    command = ["list", *options, "--configfile", str(project.configuration)]
    assert main(command) == (2 if is_broken else 0)
    said = capsys.readouterr()
    assert name in said.out and ("no-such" in said.err) == is_broken
    assert (of_a_study in said.out) != is_broken
