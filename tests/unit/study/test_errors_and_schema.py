"""Each mistake in a study or configuration has one clear message, before anything runs."""

import contextlib
import math
import shutil
import sys

import pytest

from losaw.cli import main
from losaw.study import registry
from losaw.study.errors import StudyError
from losaw.study.registry.plugins import load_plugin
from losaw.study.request.grid import Study
from losaw.study.request.published import read_published, what_has_no_cell
from losaw.study.results.outputs import DIGESTED, write_outputs
from losaw.support.words import did_you_mean, unknown


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("title:", "titel:", ["tiny.yaml", "titel", "did you mean 'title'"]),
        ("jitter: 0.3", "jiter: 0.3", ["tiny.yaml", "jiter", "did you mean 'jitter'", "known:"]),
        (
            "jittered: {learner: marginal-slopes",
            "jittered: {learner: marginal-slope",
            ["tiny.yaml", "'marginal-slope'", "did you mean 'marginal-slopes'", "plugins"],
        ),
        ("[reported]", "[reportd]", ["tiny.yaml", "did you mean 'reported'"]),
        ("r2_test, pr_auc]", "r2_tests, pr_auc]", ["tiny.yaml", "did you mean 'r2_test'"]),
        ("name: normal-linear", "name: normal-liner", ["did you mean 'normal-linear'"]),
        ("  n_samples:", "  n_sample:", ["n_sample", "did you mean 'n_samples'"]),
        ("desk: 10", "deks: 10", ["tiny.yaml", "deks", "did you mean 'desk'"]),
        ("smoke: 5", "smoke: 0", ["tiny.yaml", "greater than or equal to 1", "got 0"]),
        ("rows: [noise_variance", "rows: [noise", ["tables.table_1.rows", "'noise'"]),
        ("[n_samples, method]", "[metric, method]", ["tables.table_1: 'metric' is named twice"]),
        ("rows: [noise_variance, metric]", "rows: []", ["tables.table_1.rows", "at least 1 item"]),
        (
            "tables:\n",
            "tables:\n  Table_1: {caption: c, rows: [metric], columns: [method]}\n",
            ["tables.table_1: has the title of 'Table_1', 'Table 1'; choose another name"],
        ),
        ("[r2_test, pr_auc]", "{a: auc}", ["metrics.a: expected a mapping, {metric: auc}, got"]),
        ("plain: {learner: marginal-slopes}", "plain: R", ["learners.plain: ", "{learner: R}"]),
        ("table_1:", "1:", ["tables.1: expected a text, '1' in quotes, got 1"]),
        ("plain:", "1:", ["learners.1: expected a text, '1' in quotes, got 1"]),
        ("[n_samples, method]", "method", ["columns: expected a list, [a, b], got 'method'"]),
        ("[r2_test, pr_auc]", "{scores: {metric: r2_test}}", ["metrics.scores: is kept for"]),
        ("pr_auc: 0.1}", "pr_auc: true}", ["margins.pr_auc: expected a number, got True"]),
        ("pr_auc: 0.1}", 'pr_auc: "inf"}', ["margins.pr_auc", "finite number"]),
        ("smoke: 5", "smoke: true", ["seeds.smoke", "expected a number, got True"]),
        ("{seeds: 2}", "{seeds: true}", ["blocks.seeds", "expected a number, got True"]),
        ("published:", "memory_megabytes: true\npublished:", ["expected a number, got True"]),
        *[
            (
                "  noise_variance: [0.5, 1.0]",
                f'  "{name}": [0.5]\nlearner_axes: ["{name}"]',
                ["learner_axes.0: a name has letters, digits and _.=+-"],
            )
            for name in ("shift{x}", "a/b", "a b", "")
        ],
        ("bold: true", "bolt: true", ["did you mean 'bold'"]),
        ("study: tiny", "study: small", ["'small' must equal the file's name, 'tiny'"]),
        ("jitter: 0.3", "jitter: {axis: n_sampels}", ["unknown axis 'n_sampels'"]),
        ("jittered: {l", '"a b": {l', ["learners.a b: a name has letters", "'labels' says"]),
        ("published: tiny.csv", "published: [1]", ["tiny.yaml", "published", "got [1]"]),
        (
            "learner: marginal-slopes, j",
            "j",
            ["learners.jittered.learner: Field required"],
        ),
        (
            "name: normal-linear",
            "name: 0",
            ["tiny.yaml: line 4: generator.name:", "text, '0' in quotes"],
        ),
        ("jitter: 0.3", "jitter: 1.0e+999", ["tiny.yaml: holds", "not finite"]),
        ("jitter: 0.3", "jitter: !!set {a}", ["tiny.yaml: holds", "has a tag"]),
        ("jitter: 0.3", "jitter: 2020-01-02", ["tiny.yaml: holds", "a date without quotes"]),
        ("[30, 60]", "[30, [60]]", ["settings.n_samples.1", "expected a number", "got [60]"]),
        ("jitter: 0.3", "jitter: {axis: [a]}", ["learners.jittered", "unknown axis ['a']"]),
        ("jitter: 0.3", "jitter: {axis: n_samples, values: 1}", ["values: expected a mapping"]),
        ("jitter: 0.3", f"jitter: {'9' * 5000}", ["tiny.yaml: not valid YAML", "digits"]),
        ("{seeds: 2}", "{inside: [n_sample]}", ["blocks.inside.0", "did you mean 'n_samples'"]),
        ("{seeds: 2}", "{seeds: 0}", ["blocks.seeds", "greater than or equal to 1, got 0"]),
        ("smoke: 5", "smoke: [{seeds: 5, learner: {}}]", ["seeds.smoke.0.learner", "got {}"]),
        ("{seeds: 2}", "{seeds: [{seeds: 2, learner: plain}]}", ["blocks.seeds.0.learner: lies"]),
        (": 0.3", ": {axis: n_samples, values: {30: 0.1}}", ["no value for n_samples = 60"]),
        ("smoke: 5", "smoke: [{seeds: 2, learner: jitered}, {seeds: 5}]", ["mean 'jittered'"]),
        ("smoke: 5, desk: 10, paper: 20", "smoke: 5", ["smoke, desk, paper; missing: desk, paper"]),
        ("[r2_test, pr_auc]", "{a: {metric: feature_score}}", ["metrics.a: ", "feature"]),
        ("[r2_test, pr_auc]", "{a: {metric: feature_score, featur: X1}}", ["mean 'feature'"]),
        (
            "[r2_test, pr_auc]",
            "{r2_test: {summary: median}, pr_auc: {}}\nranking: {metric: r2_test, by: n_samples}",
            ["ranking.metric: unknown metric that ranks methods 'r2_test'"],
        ),
        ("{r2_test: 0.03, pr_auc: 0.1}", "{}", ["margins: the metric 'r2_test' is published"]),
        ("{r2_test: 0.03,", "{r2_tset: 0.03, r2_test: 0.03,", ["did you mean 'r2_test'"]),
        (
            "  plain: ",
            "  jittered_: {learner: marginal-slopes}\n  jittered-: ",
            ["name in files: jit"],
        ),
        *[
            ("published:", f"labels: {{{labels}}}\npublished:", ["labels: shows several " + words])
            for labels, words in (
                ("'30': few, '60': few", "n_samples as 'few'; give each a label of its own"),
                ("'30': '60'", "n_samples as '60'"),
                ("'0.5': '1.0'", "noise_variance as '1.0'"),
                ("r2_test: pr_auc", "metrics as 'pr_auc'"),
                ("r2_test: '', pr_auc: ''", "metrics as ''"),
                ("n_samples: noise_variance", "axes as 'noise_variance'"),
            )
        ],
        *[
            (
                "published:",
                f"labels: {{'30': {label}}}\nranking: {{metric: pr_auc, by: n_samples}}\n"
                "published:",
                [f"labels: shows 30 as '{label}', a column of the ranking already; give it anoth"],
            )
            for label in ("method", "all", "CPU s")
        ],
        ("[30, 60]", "[30, 60, 30]", ["two values of one name in files: 30"]),
        ("[30, 60]", "['1.1', '1.10', b]", ["n_samples: '1.1' and '1.10' are read as one value"]),
        ("[30, 60]", "['', b]", ["settings.n_samples: '' is no value"]),
        ("[30, 60]", "['01', 1]", ["'01' and 1 are read as one value", "for example 'v1'"]),
        ("[30, 60]", "[30, 30.0]", ["30 and 30.0 are read as one value"]),
        ("[30, 60]", "['inf', infinity]", ["'inf' and 'infinity' are read as one value"]),
        ("[30, 60]", "[true, 'TRUE']", ["True and 'TRUE' are read as one value"]),
        ("[30, 60]", "[1, true]", ["1 and True are read as one value"]),
        ("[30, 60]", "[false, 0.0]", ["False and 0.0 are read as one value"]),
        (": 0.3", ": {axis: n_samples, values: {1: 5, true: 7}}", ["keys 1 and true are read as"]),
        (": 0.3", ": {axis: n_samples, values: {0: 5, 0.0: 7}}", ["keys 0 and 0.0 are read as"]),
        ("[0.5, 1.0]", "[0.5, -1.0]", ["tiny.yaml: line 5: settings: ", "noise_variance"]),
        ("jitter: 0.3", "jitter: 0.3, random_state: 1", ["jittered.random_state: is made from"]),
        (
            "correlation: heterogeneous}",
            "correlation: heterogeneous, n_samples: 30}",
            ["settings.n_samples: is an axis, and a fixed parameter"],
        ),
        ("[30, 60]", "[030, 060]", ["tiny.yaml: not valid YAML: 030 has two readings"]),
        ("[r2_test, pr_auc]", "[]", ["metrics: ", "at least 1 item"]),
        ("[reported]", "[]", ["metrics.pr_auc: measures importances, and no learner has one"]),
        *[
            (
                "settings:\n",
                f"learner_axes: [{axis}]\nsettings:\n  {axis}: [1]\n",
                [f"settings.{axis}: is the name of a column of results or of a key"],
            )
            for axis in (
                "p_values",
                "setting_id",
                "left",
                "seed",
                "verdict",
                "seeds",
                "reuse",
                "learner",
            )
        ],
        (
            "jitter: 0.3",
            "jitter: {axs: n_samples, values: {30: 0.1}}",
            ["learners.jittered: ", "jitter: unknown key 'axs'; did you mean 'axis'"],
        ),
        ("jitter: 0.3", "jitter: {values: {30: 0.1}}", ["jitter: unknown axis None"]),
        ("jitter: 0.3", "optional: true", ["jittered.optional: 'marginal-slopes' cannot say"]),
        (
            "{seeds: 2}",
            "{inside: [n_samples], seeds: [{seeds: 2, n_samples: 30}]}",
            ["blocks.seeds.0.n_samples: lies inside a file"],
        ),
        (
            "importances: [reported]\nmetrics: [r2_test, pr_auc]",
            "metrics: [r2_test]\nmethod: '{model}'",
            ["method: '{model}' may hold {learner} and"],
        ),
        (
            "[reported]",
            "[reported, mdi]\nmethod: '{learner}'",
            ["method: names several columns 'plain'; use both"],
        ),
        *[
            ("title:", f"{further}\ntitle:", words)
            for further, *words in (
                ("seconds_per_seed: [{seconds: []}]", "0.seconds", "got []"),
                (
                    "seconds_per_seed: [{seconds: 1, learner: jitered}]",
                    "seconds_per_seed.0.learner: ",
                    "did you mean 'jittered'",
                ),
                ("method: '{learner.x}'", "may hold {learner} and"),
                (
                    "method: same{importance}",
                    "method: names several columns 'same'; use both {learner} and {importance}",
                ),
                (
                    "labels: {plain: Forest, jittered: Forest}",
                    "labels: names several columns 'Forest'; give each",
                ),
                ("labels: {plane: Forest}", "labels.plane: unknown name", "mean 'plain'"),
                ("learner_axes: [jiter]", "jiter"),
                ("learner_axes: [n_samples]", "learner_axes.0: no learner, importance or metric"),
                ("counted: [{method: plane}]", "plane"),
                ("counted: [{table: Table 1}]", "counted.0.table: unknown setting axis"),
                ("counted: [{n_sample: 30}]", "n_sample"),
                ("counted: []", "counted", "at least 1 item"),
                ("known: [{where: {metric: r2}, kind: open, note: x}]", "r2"),
                ("known: [{where: {n_samples: 31}, kind: open, note: x}]", "31"),
                (
                    "known: [{where: {n_samples: 30}, kind: opened, note: x}]",
                    "did you mean 'open'?",
                ),
                ("scales: {smok: {learners: {jittered: {jitter: 0.1}}}}", "did you mean 'smoke'"),
                ("scales: {smoke: {learners: {jittered: {jiter: 0.1}}}}", "did you mean 'jitter'"),
                (
                    "scales: {smoke: {learners: {jitered: {jitter: 0.1}}}}",
                    "did you mean 'jittered'",
                ),
                ("scales: {smoke: {learner: {}}}", "did you mean 'learners'"),
                ("scales: {smoke: {learners: {jittered: {}}}}", "at least 1 item"),
                ("scales: smoke", "expected a mapping, {key: value}, got 'smoke'"),
                (
                    "counted: no one",
                    "line 3: counted: Input",
                    "a valid boolean",
                    "; or expected a list",
                ),
            )
        ],
        *[
            (
                "[reported]",
                f"{{a: {{importance: {text}}}}}",
                ["tiny.yaml: line 11: importances.a: ", words],
            )
            for text, words in (
                ("cpi-gaussian, sampler: nowhere", "unknown knockoff sampler 'nowhere'"),
                ("permutation, n_repeats: {axis: noise_variance}", "n_repeats must be an integer"),
            )
        ],
        *[
            ("[r2_test, pr_auc]", f"{{a: {{metric: r2_test, summary: {text}}}}}", words)
            for text, *words in (
                ("med", "12: metrics.a.summary: unknown summary 'med'; did you mean 'median'? ("),
                ("root_mean", "'root-mean'? (known: mean, sd, root-mean, median); or it should"),
                ("1.5", "unknown summary 1.5 (known: ", "; or it should be less than 1, got 1.5"),
            )
        ],
        *[
            ("published:", f'method: "{text}"\npublished:', ["{learner} and {importance}"])
            for text in (
                "{learner:>999999999}",
                "{learner!r}",
                "{importance:{learner}}",
                "{0}",
                "}",
            )
        ],
        ("[30, 60]", "[" + "9" * 300 + ", 60]", ["n_samples: values have 100 characters"]),
        ("  plain:", f"  {'p' * 300}:", ["String should have at most 100 characters"]),
        ("smoke: 5", "smoke: 1000000000000", ["less than or equal to 99999"]),
        ("published: tiny.csv", f"published: {'p' * 300}", ["published: is too long a path"]),
        ("published: tiny.csv", 'published: "a\\0b"', ["published: needs ", " no ", " control"]),
        ("[r2_test, pr_auc]", "[r2_test, pr_auc", ["not valid YAML: ", "line"]),
        (
            "  jittered: {",
            "  plain: {",
            ["not valid YAML: the key 'plain' is there twice", "line 9"],
        ),
    ],
)
def test_a_mistake_in_a_study_names_file_key_and_remedy(project, old, new, words):
    project.edit(old, new)
    with pytest.raises(StudyError) as caught:
        project.session()
    message = str(caught.value)
    for word in words:
        assert word in message, message


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ("counted: [{n_samples: 30}, {n_samples: 60, noise_variance: 0.5}]", "counted.1"),
        ("counted: [{metric: pr_auc}]", "counted.0"),
        ("known: [{where: {n_samples: 60}, kind: open, note: x}]", "known.0.where"),
        ("known: [{where: {metric: pr_auc}, kind: open, note: x}]", "known.0.where"),
        ("known: [{where: {method: plain, n_samples: [30, 60]}, kind: open, note: x}]", ""),
    ],
)
def test_an_entry_on_cells_has_a_cell(project, entry, place):
    project.edit("caption", "where: {n_samples: 30}\n    metrics: [r2_test]\n    caption")
    project.edit("title:", f"{entry}\ntitle:")
    message = f"{place}: no cell of the tables has these values together"
    with pytest.raises(StudyError, match=message) if place else contextlib.nullcontext():
        project.session()


def test_a_study_file_that_is_not_utf_8_is_named(project):
    project.study_file.write_bytes("study: für".encode("latin-1"))
    with pytest.raises(StudyError, match=r"tiny.yaml: not valid YAML: .*utf-8"):
        project.session()


NO_NEEDS = """
@register("metric", "blind")
class Blind:
    range, higher_is_better = (0.0, 1.0), True
"""
RAISES = """
@register("generator", "broken")
class Broken:
    def __init__(self, n_samples, noise_variance):
        {}["n"]
"""


@pytest.mark.parametrize(
    ("code", "old", "new", "words"),
    [
        *[
            (
                code,
                "[r2_test, pr_auc]",
                "[blind]",
                "line 12: metrics.blind: 'blind' must have needs = ",
            )
            for code in (
                NO_NEEDS,
                f"{NO_NEEDS}    needs = 'importance'\n    del range\n",
                f"{NO_NEEDS}    needs = 'importance'\n    range = (None, None)\n",
                f"{NO_NEEDS}    needs = 'importance'\n    range = (1.0, 0.0)\n",
                f"{NO_NEEDS}    needs = 'importance'\n    range = (0.0, 1.0, 2.0)\n",
            )
        ],
        *[
            (
                f"{NO_NEEDS}    needs = 'importance'\n    summary = {one!r}\n",
                "[r2_test, pr_auc]",
                "[blind]",
                "line 12: metrics.blind: summary must be mean, sd, median, root-mean or a share "
                rf"between 0 and 1, got {one!r}",
            )
            for one in ("mode", "Median", 1.5, -0.5)
        ],
        (
            RAISES,
            "{name: normal-linear, correlation: heterogeneous}",
            "broken",
            r"line 5: settings: setting 30_0\.5-\w+: KeyError\('n'\)",
        ),
    ],
)
def test_a_plugin_that_the_engine_cannot_use_is_named(project, code, old, new, words):
    project.extend_plugin(code)
    project.edit(old, new)
    with pytest.raises(StudyError, match=rf"tiny.yaml: {words}"):
        project.session()


@pytest.mark.parametrize(
    ("name", "words"),
    [("mine", "unknown data set 'mine' "), ("diamond", "did you mean 'diamonds'?"), (5, "set 5 ")],
)
def test_a_real_data_set_that_no_one_knows_is_named(project, name, words):
    project.extend_plugin(RAISES.replace('{}["n"]', f"self.real_data_set = {name!r}"))
    project.edit("{name: normal-linear, correlation: heterogeneous}", "broken")
    study = project.session().studies[0]
    with pytest.raises(StudyError, match=r"tiny.yaml: line 4: generator: real_data_set: ") as said:
        study.missing_data_sets(study.settings)
    assert words in str(said.value)


def test_a_run_without_results_cannot_be_kept(computed, tmp_path, capsys):
    write_outputs(computed.session().plans[0])
    other = computed.study_file.with_name("other.yaml")
    text = computed.study_file.read_text().replace("published:", "counted: false\npublished:")
    other.write_text(text.replace("study: tiny", "study: other"))
    file = ["--configfile", str(computed.configuration), "--folder", str(tmp_path / "kept")]
    assert main(["reference", "keep", "--config", "studies=tiny,other", *file]) == 2
    assert "has no results of other; run them first" in capsys.readouterr().err
    assert main(["reference", "keep", "--config", "studies=tiny", *file]) == 0
    for old, new, words in (
        ("jitter: 0.3", "jitter: 0.6", "of another request or code (losaw plan says"),
        ("smoke: 5", "smoke: 40", "of another "),
        ("title: ", "title: Not ", "of another study file, or of other printed numbers; run the"),
    ):
        computed.edit(old, new)
        assert main(["reference", "keep", "--config", "studies=tiny", *file]) == 2
        assert words in capsys.readouterr().err
        computed.edit(new, old)
    manifest = computed.session().plans[0].folder / "manifest.json"
    whole = manifest.read_text()
    manifest.write_text("{")
    assert main(["reference", "keep", "--config", "studies=tiny", *file]) == 2
    assert "manifest.json: cannot be read" in capsys.readouterr().err
    manifest.write_text(whole)
    for name in DIGESTED:
        table = computed.session().plans[0].folder / name
        whole = table.read_text()
        table.write_text(whole.rstrip("\n").rpartition("\n")[0] + "\n")  # without its last line
        assert main(["reference", "keep", "--config", "studies=tiny", *file]) == 2
        words = f"{name}: is not as the run wrote it (sha256 in manifest.json); restore it, or remo"
        assert words in capsys.readouterr().err
        table.write_text(whole)
    del sys.modules["losaw_plugin_plugin"]  # as in the process of another command
    registry.forget("losaw_plugin_")
    assert main(["reference", "pages", *file]) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["seeds=3", "seeds=4"], "seeds: given twice"),
        (["seeds=3", "--config", "n_samples=30", "--config", "seeds=4"], "seeds: given twice"),
        (["scale=desk", "--scale", "smoke"], "scale: given twice"),
        (["results="], "results=: expected key=value"),
        (["results=out", "figures=out/../out"], "figures: out has the results"),
    ],
)
def test_options_of_a_request_that_contradict_are_refused(project, options, words, capsys):
    command = ["plan", "--configfile", str(project.configuration), "--config", *options]
    try:
        assert main(command) == 2
    except SystemExit as ended:
        assert ended.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe", "is not a CSV table in UTF-8"),
        (b'table\n"1\n2', "is not a CSV table in UTF-8"),
        (b"", "has no column 'table'"),
        (b"table\n1,2\n1,2,3,4", "line 2: has 2 values for 1 column"),
        (b"table\n1\n\n1,2", "line 4: has 2 values for 1 column; quote a value with a comma"),
        (b"table;metric\n1;2", "line 1: columns are separated by commas, .* got ';'"),
        (b"table\tmetric\n1\t2", r"line 1: columns are separated by commas, .* got '\\t'"),
        (b"table,metric,table\n1,2,3", "line 1: names a column twice: 'table'"),
    ],
)
def test_printed_values_that_are_no_table_are_named(project, content, words):
    project.published.write_bytes(content)
    with pytest.raises(StudyError, match=f"tiny.csv: {words}"):
        project.session()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("published_runs,note", "note,published_sd", "has no column 'published_runs'; needed: t"),
        (
            "0.9,3,100,made",
            "0.9,,100,made",
            "line 3: decimals: is empty; a line with a number needs ta",
        ),
        ("r2_test,plain", ",plain", "line 2: metric: is empty; a line with a number needs table, "),
        ("3,100,made", "3,,made", "line 3: published_runs: is empty; a line with a number needs"),
        (
            "r2_test,plain,0.5",
            "r2_test,plain,5",
            "line 2: published 5 is outside of the range -inf ",
        ),
        (
            "published_runs,note",
            "published_runs,plain",
            "unknown column 'plain' .*; write a line for",
        ),
        ("0.5,3,100", "0.5,3,0", "line 2: published_runs: .* greater than or equal to 1, got '0'"),
        ("0.5,3,100", "half,3,100", "line 2: published: .* a valid number.* got 'half'"),
        (
            "0.5,3,100",
            "0.5 ± .1,3,100",
            "line 2: .*got '0.5 ± .1'; write the number alone.* in published_se",
        ),
        ("0.5,3,100", "−0.5,3,100", "line 2: .*got '−0.5'; write the number alone, as 0.607 or -2"),
        (
            "0.5,3,100",
            "<0.001,3,100",
            "line 2: .*got '<0.001'; .* leave a cell without a number empty",
        ),
        (
            "0.5,3,100",
            "1e308,3,100",
            "line 2: published: .* less than or equal to 10+, got '1e308'",
        ),
        ("0.5,3,100", "0.5,3,1e308", "line 2: published_runs: .* less than or equal to"),
        ("0.5,3,100", "0.5251,3,100", "line 2: published 0.5251 has 4 decimals, and 'decimals' s"),
        ("0.5,3,100", "2.5e-05,5,100", "line 2: published 2.5e-05 has 6 decimals, .* says 5; co"),
        ("0.9,3,100", "0.9,0,100", "line 3: published 0.9 has 1 decimal, and"),
        ("0.9,3,100", "90,0,100", "line 3: published is of decisions, a share from 0 to 1, got 90"),
        ("note\n", "published_sd\n", "line 3: published_sd: .* a valid number"),
        (
            "note\nTable 1,30,0.5,r2_test,plain,0.5,3,100,",
            "published_se\nTable 1,30,0.5,r2_test,plain,0.5,3,100,0",
            "line [23]: published_se: .* greater than 0, or left",
        ),
        ("60,1.0,pr_auc,jittered", "30,0.5,r2_test,plain", "line 3: this cell is printed twice"),
        ("60,1.0,pr_auc,jittered", "30,0.50,r2_test,plain", "line 3: this cell is printed twice"),
        ("0.5,3,100", "0.5,3,1_0", "line 2: published_runs: a number has no _, got '1_0'"),
        ("0.5,3,100", "1_0,3,100", "line 2: published: a number has no _, got '1_0'"),
        ("0.5,3,100", "True,3,100", "line 2: published: .* a valid number.* got 'True'"),
        (
            "100,\nTable 1,60,1.0,pr_auc,jittered,0.9",
            '100,"two\nlines"\n \n\nTable 1,60,1.0,pr_auc,jittered,half',
            "line 6: published: .* 'half'",
        ),
        *[
            ("0.9,3,", f"0.9,{text},", "line 3: decimals: Input should")
            for text in ("1000000000", "51", "0.5", "-1", "a\0b")
        ],
        ("jittered", "jitered", "line 3: unknown method 'jitered'; did you mean 'jittered'"),
        ("r2_test", "r2_tst", "line 2: unknown metric 'r2_tst'; did you mean 'r2_test'"),
        ("Table 1,60", "Table 2,60", "line 3: unknown table 'Table 2'; did you mean 'Table 1'"),
        ("Table 1,60", "# by hand\nTable 1,60", r"line 3: unknown table '# by hand' \(known: Tab"),
        ("Table 1,60", "Table 1,30,1,r2,plain\nTable 1,60", "line 3: unknown metric 'r2'"),
        ("Table 1,60", "scores,60", r"line 3: unknown table 'scores' \(known: Table 1\)"),
        ("r2_test", "a_X1", r"line 2: unknown metric 'a_X1' \(known: r2_test, pr_auc\); 'not_run'"),
    ],
)
def test_printed_values_that_cannot_be_compared_are_named(project, old, new, words):
    project.edit("[r2_test, pr_auc]", "{r2_test: {}, pr_auc: {metric: top_share}}")
    project.replace(project.published, old, new)
    with pytest.raises(StudyError, match=f"tiny.csv: {words}"):
        project.session()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "[30, 60]",
            "[30]",
            "line 3: unknown n_samples '60' (known: 30); correct it, or name it u",
        ),
        ("[0.5, 1.0]", "[1.0]", "line 2: unknown noise_variance '0.5' (known: 1.0)"),
        (
            "bold: true",
            "where: {noise_variance: 1}",
            "line 2: no cell of 'Table 1' has these values "
            "together; correct one of them, or add the cell to the table",
        ),
    ],
)
def test_a_study_that_was_cut_down_runs_and_says_what_is_not_compared(project, old, new, words):
    assert project.session(n_samples=30, noise_variance=1.0).notes == []  # which has no line
    project.edit(old, new)
    (note,) = project.session().notes
    assert note.startswith(f"study 'tiny': tiny.csv: a line of 'Table 1' is not compared: {words}")


@pytest.mark.parametrize(
    ("metric", "value", "decimals", "words"),
    [
        ("auc", "1", 0, ""),
        ("auc", "-0.0", 1, ""),
        (
            "auc",
            "1.1",
            1,
            "1.1 is outside of the range 0 to 1 of a; a percentage is written as a sh",
        ),
        (
            "auc",
            "10.3",
            1,
            "10.3 is outside of the range 0 to 1 of a; a percentage is written as a",
        ),
        ("auc", "-0.2", 1, "-0.2 is outside of the range 0 to 1 of a; a misprint of"),
        ("auc", "1.000001", 7, "1.000001 is outside"),
        ("fi_gap", "-2", 0, "-2 is outside of the range -1 to 1 of a; a misprint"),
        ("risk", "900", 0, ""),
        ("risk", "-1", 0, "-1 is outside of the range 0 to inf of a; a misprint"),
        ("r2_test", "-7", 0, ""),
        ("{metric: auc, summary: median}", "2", 0, "2 is outside of the range 0 to 1 of a;"),
        ("{metric: auc, summary: sd}", "2", 0, ""),
    ],
)
def test_a_printed_value_that_no_run_can_have_is_refused(project, metric, value, decimals, words):
    of = metric if metric.startswith("{") else f"{{metric: {metric}}}"
    project.edit("[r2_test, pr_auc]", f"{{a: {of}, r2_test: {{}}, pr_auc: {{}}}}")
    project.edit("r2_test: 0.03", "a: 0.1, r2_test: 0.03")
    line = f"r2_test,plain,{value},{decimals},"
    project.replace(project.published, "r2_test,plain,0.5,3,", line.replace("r2_test", "a"))
    refused = pytest.raises(StudyError, match=f"tiny.csv: line 2: published {words}")
    with refused if words else contextlib.nullcontext():
        project.session()
    if words:
        known = "known: [{where: {metric: a, n_samples: 30}, kind: misprint, note: a slip}]"
        project.edit("published:", f"{known}\npublished:")
        project.session()


@pytest.mark.parametrize("key", ["feature: X1", "feature: all", "features: [X1]"])
@pytest.mark.parametrize("place", ["margins", "tables", "print", "claims"])
def test_where_a_metric_of_each_feature_is_meant_it_is_said_how_it_is_made(project, key, place):
    name = "feature_score" if key.startswith("feature:") else "top_share"
    project.edit(
        "[r2_test, pr_auc]", f"{{r2_test: {{}}, pr_auc: {{}}, s: {{metric: {name}, {key}}}}}"
    )
    if place == "margins":
        project.edit("r2_test: 0.03", "r2_test: 0.03, s_X1: 1")
    if place == "tables":
        project.edit("caption", "metrics: [s_X1]\n    caption")
    if place == "print":
        project.replace(project.published, "r2_test", "s_X1")
    if place == "claims":
        (project.folder / "config" / "claims").mkdir()
        claim = "says: x, place: y, study: tiny, method: plain, relation: above, than: 0"
        text = f"paper: P\ntitle: T\nstudies: [tiny]\nclaims: [{{{claim}, metric: s_X1}}]\n"
        (project.folder / "config" / "claims" / "p.yaml").write_text(text)
    one = key.partition(":")[0]
    words = rf"unknown metric 's_X1'.* `{one}: each` of 's' makes s_<feature> for every feature"
    with pytest.raises(StudyError, match=words):
        project.session()


@pytest.mark.parametrize(("old", "new"), [("[30, 60]", "[90]"), ("[0.5, 1.0]", "[2]")])
def test_printed_numbers_of_which_none_has_a_cell_are_refused(project, old, new):
    project.edit(old, new)
    with pytest.raises(StudyError, match=r"no line has a cell; line 2: unknown .*known: [29]0?\)"):
        project.session()


@pytest.mark.parametrize("name", ["None", "NA", "null", "nan", "1e3", "007", "true"])
def test_a_name_in_print_is_the_text_that_is_written(project, name):
    project.edit("plain:", f'"{name}":')
    project.edit("noise_variance: [0.5", f'noise_variance: [0.5, "{name}"')
    project.replace(project.published, ",plain,", f",{name},")
    project.replace(project.published, "60,1.0", f"60,{name}")
    load_plugin(project.folder / "plugin.py")
    study = Study(project.study_file)
    printed = read_published(study, project.published.parent)
    assert name in list(printed["method"]) and name in list(printed["noise_variance"].astype(str))
    assert list(what_has_no_cell(study, printed)) == []


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("0.5\N{NO-BREAK SPACE}", 0.5),
        (" 0.50", 0.5),
        ("-1.5000", -1.5),
        ("5e-3", 0.005),
        ("NA", None),
        ("nan", None),
        ("", None),
    ],
)
def test_a_number_in_print_is_what_is_checked(project, number, value):
    project.replace(project.published, "plain,0.5,", f"plain,{number},")
    load_plugin(project.folder / "plugin.py")
    first, _ = read_published(Study(project.study_file), project.published.parent)["published"]
    assert first == value if value else math.isnan(first)


def test_a_table_has_its_key_or_its_title_in_print(project):
    project.replace(project.published, "Table 1,60", "table_1,60")
    assert project.session().notes == []


def copied(project, *changes):
    """A second study file with the same published numbers, edited."""
    text = project.study_file.read_text().replace("study: tiny", "study: copy")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (project.study_file.parent / "copy.yaml").write_text(text)
    return project.session(studies="tiny,copy")


def test_a_published_value_is_counted_in_one_study(project):
    words = r"copy.yaml: counted: the published value of .* in study 'tiny' .* too"
    with pytest.raises(StudyError, match=words):
        copied(project)
    shutil.copy(project.published, project.published.with_name("copy.csv"))
    with pytest.raises(StudyError, match=words):  # of one paper
        project.edit("title:", "paper: P\ntitle:")
        copied(project, ("published: tiny.csv", "published: copy.csv"))
    assert copied(project, ("title:", "counted: false\ntitle:"))
    project.edit("settings:\n", "learner_axes: [by]\nsettings:\n  by: [0.1, 0.2]\n")
    project.edit("jitter: 0.3", "jitter: {axis: by}")
    with pytest.raises(StudyError, match=r"counted twice, at by 0\.1 and at by 0\.2; list the"):
        project.session()
    project.edit("published:", "counted: [{by: 0.2}]\npublished:")
    assert project.session()


def test_claims_are_checked_with_the_studies(project):
    file = project.folder / "config" / "claims" / "tiny.yaml"
    file.parent.mkdir()
    claim = (
        "{says: a, place: b, study: tiny, metric: r2_tst, method: plain, relation: above, than: 0}"
    )
    file.write_text(f"paper: P\ntitle: T\nstudies: [tiny]\nclaims: [{claim}]\n")
    with pytest.raises(StudyError, match=r"tiny.yaml: line 4: claims.0: .*mean 'r2_test'"):
        project.session()


def test_a_comma_at_the_end_of_each_line_moves_no_column(project):
    project.replace(project.published, "100,\n", "100,,\n")
    project.replace(project.published, "made up\n", "made up,\n")
    assert project.session().notes == []


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"studies": ["tini"]}, ["unknown study 'tini'", "did you mean 'tiny'"]),
        ({"studies": ""}, ["studies: ", "at least 1 item"]),
        ({"studies": None, "plugins": None}, ["studies: ", "at least 1 item"]),
        ({"scale": "dest"}, ["unknown scale 'dest'", "did you mean 'desk'"]),
        ({"block_minutes": "inf"}, ["block_minutes", "finite number"]),
        ({"learner": ("rf",)}, ["learner: unknown value 'rf'", "a new one goes into a study's l"]),
        ({"max_failed_share": 2}, ["max_failed_share", "less than or equal to 1", "got 2"]),
        ({"scael": "desk"}, ["scael", "did you mean 'scale'"]),
        ({"plugins": ["nowhere.py"]}, ["nowhere.py", "no such file"]),
        ({"n_sample": ("30",)}, ["unknown key 'n_sample'", "did you mean 'n_samples'"]),
        ({"n_samples": ("3O",)}, ["n_samples: unknown value '3O'", "known: 30, 60"]),
        ({"n_samples": ("inf",)}, ["n_samples: unknown value 'inf'", "known: 30, 60"]),
        ({"learner": ("plan",)}, ["learner: unknown value 'plan'; did you mean 'plain'"]),
    ],
)
def test_a_mistake_in_the_configuration_or_the_selection_is_named(project, overrides, words):
    with pytest.raises(ValueError) as caught:
        project.session(**overrides)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_all_problems_of_a_file_are_named_at_once(project):
    project.edit("title:", "titel:")
    project.edit("published: tiny.csv", "publisched: tiny.csv")
    with pytest.raises(StudyError) as caught:
        project.session()
    for word in ("tiny.yaml", "'titel'", "did you mean 'title'", "did you mean 'published'"):
        assert word in str(caught.value)


def test_a_name_that_is_far_off_is_not_guessed():
    assert did_you_mean("n_trees", ["max_features", "eta"]) == ""
    assert "did you mean 'far'? (known: 0, 1" in unknown("name", "fan", [*range(60), "far"])
    assert did_you_mean("etta", ["max_features", "eta"]) == "; did you mean 'eta'?"
    assert did_you_mean("pfi", ["pfi-ratio", "ufi"]) == "; did you mean 'pfi-ratio'?"


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        ("metric", "n_samples, method", "because noise_variance is"),
        ("n_samples", "method", "because noise_variance and metric is"),
    ],
)
def test_the_plan_sees_a_table_whose_cells_fall_on_one_place(project, capsys, rows, columns, words):
    project.edit("rows: [noise_variance, metric]", f"rows: [{rows}]")
    project.edit("columns: [n_samples, method]", f"columns: [{columns}]")
    assert main(["plan", "--configfile", str(project.configuration)]) == 2
    said = capsys.readouterr().err
    assert "tables.table_1" in said and "several cells fall on one place" in said and words in said
    project.edit("bold: true", "where: {noise_variance: 0.5}")
    project.edit("published: tiny.csv\n", "")  # one of its cells is in no table any more
    assert main(["plan", "--configfile", str(project.configuration)]) == (
        0 if rows == "metric" else 2
    )


PATHS = ["a\0b", "a\nb", "a/{b}", "r" * 300, "r/" * 999, "$NOT_SET/a", "~x/a"]


@pytest.mark.parametrize(
    ("key", "path"),
    [*(("results", path) for path in PATHS), ("figures", "a\0b"), ("plugins", "a\0b")],
)
def test_a_folder_is_refused_that_cannot_be_made_or_means_something_else(project, key, path):
    with pytest.raises(StudyError, match=rf"^{key}\S*: (needs known users|is too long a path)"):
        project.session(**{key: path})


@pytest.mark.parametrize("key", ["results", "figures"])
@pytest.mark.parametrize("below", ["", "a", "a/b"])
@pytest.mark.parametrize("is_link", [False, True])
def test_a_folder_is_refused_at_or_below_what_is_none(project, key, below, is_link):
    place = project.folder / "notes.txt"
    place.symlink_to("nowhere") if is_link else place.touch()
    with pytest.raises(StudyError, match=rf"^{key}: {place} is no folder; name another place"):
        project.session(**{key: str(place / below)})


def test_a_home_and_a_variable_are_expanded_as_a_shell_does(project, monkeypatch):
    monkeypatch.setenv("SCRATCH", str(project.folder))
    monkeypatch.setenv("HOME", str(project.folder))
    for path in ("~/a", "$SCRATCH/a", "${SCRATCH}/a"):
        assert project.session(results=path).results == project.folder / "a"


@pytest.mark.parametrize("seeds", ["1000000000000", "9" * 5000, "0", "²", "", None])
def test_a_number_of_seeds_that_no_one_runs_is_refused(project, seeds):
    with pytest.raises(StudyError, match=r"seeds: .* from 1 to 99999"):
        project.session(seeds=seeds)


def test_all_is_all_studies_and_a_first_word_says_which(project):
    text = project.study_file.read_text().replace("published:", "counted: false\npublished:")
    for name in ("all_b", "tiny_a", "tiny_c"):
        project.study_file.with_name(f"{name}.yaml").write_text(
            text.replace("study: tiny", f"study: {name}")
        )
    project.study_file.unlink()
    session = project.session(studies="all")
    assert session.names == ("all_b", "tiny_a", "tiny_c")
    assert session.notes == ["studies=all: all_b, tiny_a, tiny_c"]
    group = project.session(studies="tiny")
    assert group.notes == ["studies=tiny: tiny_a, tiny_c"] and group.names == ("tiny_a", "tiny_c")
    assert project.session(studies="tiny_a").notes == project.session().notes == []
