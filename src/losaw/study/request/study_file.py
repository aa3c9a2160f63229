"""The format of study files and of the configuration, and errors that name file and key."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from losaw.study.errors import StudyError
from losaw.study.plain_yaml import PlainLoader
from losaw.support.words import unknown

Location = tuple[str | int, ...]
Scalar = bool | int | float | str

SCALES = ("smoke", "desk", "reference", "paper")
MOST_SEEDS = 99_999
LONGEST = 100  # of names, that several may stand in that of a file, which has 255 bytes
# The reference run is of some studies only.
EVERY_STUDY_HAS = ("smoke", "desk", "paper")


class SourceFile:
    """A YAML file that holds a mapping of plain values; a StudyError says if it does not.

    ``overrides`` are values of the command line in the place of the file's.
    """

    def __init__(self, path: Path, overrides: Mapping[str, Any] | None = None) -> None:
        self.path = path
        self._overrides = dict(overrides or {})
        try:
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=PlainLoader)
        except OSError as error:
            raise StudyError(f"{path}: cannot be read: {error.strerror}") from None
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise StudyError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
        if not isinstance(data, dict):
            raise StudyError(f"{path}: expected a mapping of keys to values")
        try:
            json.dumps(data, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise StudyError(
                f"{path}: holds a value that is not finite, has a tag, or is a date without "
                f"quotes: {error}"
            ) from None
        self.data: dict[str, Any] = {**data, **self._overrides}

    def error(self, location: Location, message: str) -> StudyError:
        """``file: key.path: message``; a key that the command line has given has no file."""
        place = f"{self.path}: {self._line(location)}"
        if location and location[0] in self._overrides:
            place = ""
        key = ".".join(str(part) for part in location) + ": " if location else ""
        return StudyError(f"{place}{key}{message}")

    def _line(self, location: Location) -> str:
        """``line 7: ``, of the innermost key of a location that is written in the file."""
        node, line = yaml.compose(self.path.read_text(encoding="utf-8"), Loader=PlainLoader), None
        for part in location:
            pairs: Any = enumerate(node.value) if isinstance(node, yaml.SequenceNode) else ()
            if isinstance(node, yaml.MappingNode):
                pairs = ((key.value, (key, value)) for key, value in node.value)
            found = next((value for key, value in pairs if str(key) == str(part)), None)
            if found is None:
                break
            key, node = found if isinstance(found, tuple) else (found, found)
            line = key.start_mark.line + 1
        return "" if line is None else f"line {line}: "

    def check_known(self, name: str, known: Iterable[str], location: Location, what: str) -> None:
        """Refuse a name that is none of the known ones."""
        names = list(known)
        if name not in names:
            raise self.error(location, unknown(what, name, names))


def _plain(value: Any) -> Any:
    if not isinstance(value, Scalar):
        raise ValueError("expected a number, a text, true or false")
    return value


def as_values(written: Any) -> list[Any]:
    """A filter's value as a list."""
    return list(written) if isinstance(written, list | tuple) else [written]


def listed(written: Any) -> tuple[Any, ...]:
    """Return the values that the command line writes ``f3,f5``, or that a file has as a list."""
    if isinstance(written, list | tuple | None):
        return tuple(written or ())
    return tuple(part.strip() for part in str(written).split(",") if part.strip())


def _named(written: Any) -> Any:
    """Names in a list as a mapping of names to no parameters."""
    is_names = isinstance(written, list) and all(isinstance(name, str) for name in written)
    return {name: {} for name in written} if is_names else written


def _path(path: Any) -> Any:
    """Return a path with ``~`` and variables as a shell expands them; refuse what no shell knows.

    Braces are wildcards of Snakemake.
    """
    text = os.path.expandvars(os.path.expanduser(path))
    if text.startswith("~") or not text.isprintable() or {"$", "{", "}"} & {*text}:
        raise ValueError("needs known users and variables, and no braces and control characters")
    if len(text.encode()) > 1000 or any(len(part.encode()) > LONGEST for part in Path(text).parts):
        raise ValueError(f"is too long a path: {LONGEST} bytes a folder at most, 1000 in all")
    return type(path)(text)


def _no_truth(written: Any) -> Any:
    if isinstance(written, bool):
        raise ValueError("expected a number")
    return written


NoTruth = BeforeValidator(_no_truth)  # true is no 1
# The validator comes last, else the schema of the files has no bounds.
Number = Annotated[float, Field(allow_inf_nan=False), NoTruth]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.=+-]*$", max_length=LONGEST)]
PlainPath = Annotated[Path, AfterValidator(_path)]
Values = Annotated[list[Annotated[Any, AfterValidator(_plain)]], Field(min_length=1)]
# One value or several; the second type is what a file may have.
SomeValues = Annotated[Values, BeforeValidator(as_values, json_schema_input_type=Scalar | Values)]
Names = Annotated[list[str], BeforeValidator(as_values, json_schema_input_type=str | list[str])]
Listed = BeforeValidator(listed, json_schema_input_type=str | list[str])
Filter = dict[str, SomeValues]
# A share is that quantile of the runs.
Summary = Literal["mean", "sd", "root-mean", "median"] | Annotated[float, Field(gt=0, lt=1)]
SUMMARIES = "mean, sd, median, root-mean or a share between 0 and 1"
Product = Annotated[dict[str, SomeValues], Field(min_length=1)]
_Named = BeforeValidator(_named, json_schema_input_type=list[str] | dict[str, dict[str, Any]])
SeedCount = Annotated[int, Field(ge=1, le=MOST_SEEDS), NoTruth]


def is_summary(value: Any) -> bool:
    """Return whether a value says what is taken of runs, as a metric's own says it."""
    try:
        TypeAdapter(Summary).validate_python(value, strict=True)
    except ValidationError:
        return False
    return True


class Strict(BaseModel):
    """A base of models that refuse unknown keys, and changes of a value after reading.

    The text below a key describes it, in the documentation and in ``config/schema.json``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _knows_its_keys(cls, written: Any) -> Any:
        keys = written if isinstance(written, dict) else ()
        strange = [key for key in keys if key not in cls.model_fields]
        if strange:
            raise ValueError("; ".join(unknown("key", key, cls.model_fields) for key in strange))
        return written


class Options(BaseModel):
    """Known keys next to parameters, which may have any name.

    An importance or a metric has a key of its kind, the registered name, which is its label by
    default.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    @property
    def parameters(self) -> dict[str, Any]:
        """What is written next to the known keys."""
        return dict(self.model_extra or {})


class GeneratorOptions(Options):
    """A registered name and fixed parameters."""

    name: str


class LearnerOptions(Options):
    """A registered name, the labels of its importances, and parameters."""

    learner: str
    importances: list[str] | None = None
    optional: bool = False


class MetricOptions(Options):
    """A metric, how its runs are summarised, and parameters."""

    summary: Summary | None = None


class Entry(BaseModel):
    """An entry of a list whose first match counts: axes, and mostly ``learner``, with their values.

    An entry holds for all values of what it does not name.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, SomeValues] = Field(init=False)

    @property
    def where(self) -> dict[str, list[Scalar]]:
        """Axis, or ``learner`` or ``scale`` -> values."""
        return dict(self.model_extra or {})


class Seeds(Entry):
    """A number of seeds."""

    seeds: SeedCount


class Seconds(Entry):
    """The cost of a seed."""

    seconds: Annotated[float, Field(gt=0, le=1e9), NoTruth]


SeedsOfSettings = Annotated[
    list[Seeds],
    BeforeValidator(
        lambda w: w if isinstance(w, list) else [{"seeds": w}],
        json_schema_input_type=SeedCount | list[Seeds],
    ),
]


class TableLayout(Strict):
    """One published table: which cells it holds and how they are laid out.

    ``where`` selects settings; ``rows`` and ``columns`` name axes of the cells: setting
    axes, ``metric`` and ``method``.
    """

    caption: str
    where: Filter = {}
    rows: Annotated[list[str], Field(min_length=1)]
    columns: Annotated[list[str], Field(min_length=1)]
    metrics: Annotated[list[str], Field(min_length=1)] | None = None
    bold: bool = True
    note: str = ""


class FigureLayout(Strict):
    """One figure: a registered drawing, its options, and what is said below it."""

    drawing: str
    caption: str = ""
    options: dict[str, Any] = {}


class Blocks(Strict):
    """The cut of a study into files: axes that lie inside a file, and its number of seeds.

    That number is a single one, or a list of ``{seeds, <axis>: values}``, first match.
    """

    inside: list[str] = []
    seeds: SeedsOfSettings = [Seeds(seeds=25)]


class AtScale(Strict):
    """Options of learners at a scale, instead of those that stand under ``learners``."""

    learners: dict[Name, Annotated[dict[str, Any], Field(min_length=1)]]


class Known(Strict):
    """A note on cells that are known not to agree, or whose published value is in doubt.

    ``where`` names the cells: axes, ``table``, ``metric`` and ``method``, each with a value or
    values. ``kind`` says what explains them: a ``misprint``, a choice that the paper leaves
    ``unstated``, an ``inference`` of ours; or nothing does, an ``open`` point.
    """

    where: Filter
    kind: Literal["misprint", "unstated", "inference", "open"]
    note: str


class Ranking(Strict):
    """A ranking of all methods by a metric, for each value of an axis."""

    metric: str
    by: str
    decisions: tuple[str, str] | None = None


class StudyFile(Strict):
    """One published experiment."""

    study: Name
    """Name; must equal the file's stem."""
    title: str
    aim: str = ""
    """Of the study, in a sentence; default: the title."""
    paper: str = ""
    plugins: list[Path] = []
    """Python files that register methods of this study; paths count from its folder."""
    experiment: Name | None = None
    """Studies that share it, with the same generator, parameters and axes of the data in the same
    order, share their data. Default: ``study``.
    """
    generator: Annotated[
        GeneratorOptions,
        BeforeValidator(
            lambda w: {"name": w} if isinstance(w, str) else w,
            json_schema_input_type=str | GeneratorOptions,
        ),
    ]
    """Registered name, or a mapping with ``name`` and fixed parameters."""
    settings: Annotated[
        list[Product],
        BeforeValidator(
            lambda w: w if isinstance(w, list) else [w] if w else [],
            json_schema_input_type=list[Product] | dict[str, SomeValues],
        ),
    ] = []
    """Axis -> values; the grid is their product. Of a list, which has the same axes throughout, the
    products of all its entries: what a paper ran, and no more.
    """
    learner_axes: list[Name] = []
    """Names of axes of ``settings`` that the generator does not know: parameters of learners or
    importances, handed on by ``{axis: <name>}``. All their values see the same data.
    """
    learners: dict[Name, LearnerOptions] = {}
    """Label -> ``learner`` (registered name, or import path), ``importances`` (labels; default all)
    and parameters. A parameter may be ``{axis: <name>}``, the value of an axis, or ``{axis: <name>,
    values: {<value>: <parameter>, ...}}``. ``optional: true`` leaves a learner out that says by
    ``unavailable()`` why it cannot run here.
    """
    estimators: Annotated[dict[Name, Options], _Named] = {}
    """In place of learners and importances: registered names, or label -> ``estimator`` and
    parameters. Where other keys and the results say ``learner``, it is the label of an estimator.
    """
    scales: dict[str, AtScale] = {}
    """Scale -> ``{learners: {<label>: {...}}}``: options that differ there; tables, figures and
    report say so.
    """
    importances: Annotated[dict[Name, Options], _Named] = {}
    """A list of registered names, or label -> ``{importance: <name>, <parameter>: <value>}``."""
    metrics: Annotated[dict[Name, MetricOptions], _Named, Field(min_length=1)]
    """Registered names, or label -> ``metric`` and parameters. ``feature: each``, or ``features:
    each``, makes a metric ``<label>_<feature>`` for every feature; so ``estimand: each``.
    ``summary`` is taken of the runs: ``mean``, ``sd``, ``median``, ``root-mean`` (the root of the
    mean, of squared errors), or a share from 0 to 1, that quantile. Default: the metric's own.
    """
    seeds: dict[str, SeedsOfSettings]
    """Scale -> number of seeds, or a list of ``{seeds, learner, <axis>: values}`` of which the
    first match counts; what matches none is not run. The scale ``reference`` may be missing.
    """
    blocks: Blocks = Blocks()
    """``{inside: [<axis>, ...], seeds: 25}``: a file of rows holds so many seeds of all values of
    the axes inside, and of one value of every other. ``seeds`` may be a list, as above.
    """
    seconds_per_seed: list[Seconds] = []
    """``{learner, scale, seconds, <axis>: values}``, first match: measured cost, to plan with."""
    memory_megabytes: Annotated[int, Field(ge=1), NoTruth] = 1500
    method: str | None = None
    """How a column of the comparison is named, from ``{learner}`` and ``{importance}``; the
    learner's label where that leaves nothing. Default: ``{learner} {importance}`` where a learner
    has several importances, else ``{learner}``.
    """
    compare: tuple[str, str] | None = None
    """Two methods, as columns are named: the report begins with their difference on the same data
    sets.
    """
    ranking: Ranking | None = None
    """``{metric, by, decisions}``: the page ranks all methods by a metric, in all settings and for
    each value of the axis ``by``; ``decisions`` are two metrics, the shares of causes that a method
    finds and of false ones among what it finds.
    """
    published: Annotated[str, AfterValidator(_path)] | None = None
    """File in ``config/published``; numbers that no cell of the tables has are noted only."""
    not_run: Filter = {}
    """``{method, metric, table, <axis>: values}``: lines of ``published`` that have one of these
    are left out: what the paper ran and the study does not.
    """
    margins: dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False), NoTruth]] = {}
    """Metric -> largest difference from the published value that still agrees; needed for every
    metric that is printed.
    """
    counted: bool | Annotated[list[Filter], Field(min_length=1)] = True
    """False: the study compares another reading of values that another study counts, or values that
    no paper has published. A list of ``{<axis>: values, metric, method}``: the cells of the reading
    that is believed; others are compared, but not counted.
    """
    known: list[Known] = []
    """``{where, kind, note}``: what is known of cells that do not agree; shown next to them."""
    tables: dict[Name, TableLayout] = {}
    figures: dict[Name, FigureLayout] = {}
    labels: dict[str, str] = {}
    """Name -> how it is shown in tables and figures. A column of the comparison has the name that
    ``method`` makes: where that is ``{learner} {importance}``, a label of either alone does not
    change it.
    """
    notes: list[str] = []

    @model_validator(mode="after")
    def _has_methods_of_one_kind(self) -> "StudyFile":
        has_both = self.estimators and (self.learners or self.importances)
        if has_both or not (self.estimators or self.learners):
            words = "a study has learners, with importances or without, or it has estimators"
            raise ValueError(f"{words}, and this one has {'both' if has_both else 'neither'}")
        return self

    @property
    def axes(self) -> dict[str, list[Scalar]]:
        """Axis -> all its values, each once, in the order of the file."""
        axes: dict[str, dict[str, Scalar]] = {}
        for entry in self.settings:
            for axis, values in entry.items():
                axes.setdefault(axis, {}).update({str(value): value for value in values})
        return {axis: list(values.values()) for axis, values in axes.items()}


class Configuration(Strict):
    """Which studies, at which scale, into which folders."""

    scale: str = "desk"
    """``smoke`` (seconds), ``desk`` (minutes), ``reference`` (hours; what the repository's
    reference run computed) or ``paper`` (the papers' own numbers of runs).
    """
    studies: Annotated[list[str], Listed, Field(min_length=1)]
    """Names of study files, or the first word of several; ``all`` is all of them."""
    results: PlainPath = Path("results")
    """Folder that is written into; ``~`` and ``$NAME`` are expanded as a shell does."""
    figures: PlainPath = Path("figures")
    """Folder of the figures, likewise."""
    plugins: Annotated[list[PlainPath], Listed] = []
    """Files with your own methods."""
    max_failed_share: Annotated[float, Field(ge=0, le=1), NoTruth] = 0.0
    """Above this share of failed fits of a learner, or an importance, a study has no summary."""
    block_minutes: Annotated[float, Field(gt=0, le=1e5, allow_inf_nan=False), NoTruth] = 60.0
    """A block that takes longer is ended; its second attempt computes each learner apart."""
    reuse: bool = True
    """Whether a block that an edit concerns takes rows of unchanged methods from its last file."""


Model = TypeVar("Model", bound=BaseModel)


def parse(model: type[Model], source: SourceFile) -> Model:
    """Validate a file against its model; a StudyError has a line for every problem."""
    try:
        return model.model_validate(source.data)
    except ValidationError as error:
        # What a key may be of several kinds has an error of each kind, at one place in the file.
        messages: dict[Location, list[str]] = {}
        for problem in error.errors():
            location = _written(source.data, problem["loc"], problem["type"] == "missing")
            what = str(location[-1]) if location else "file"
            messages.setdefault(location, []).append(reason(problem, what))
        texts = {k: "; or ".join(v).replace("; or Input ", "; or it ") for k, v in messages.items()}
        raise StudyError("\n".join(str(source.error(k, v)) for k, v in texts.items())) from None


def _written(data: Any, location: Location, with_last: bool) -> Location:
    """Return the keys of a location that stand in a file; others name kinds of a value."""
    keys: list[str | int] = []
    for key in location:
        values = dict(enumerate(data)) if isinstance(data, list) else data
        if isinstance(values, dict) and key in values:
            keys, data = [*keys, key], values[key]
    return (*keys, location[-1]) if with_last else tuple(keys)


def reason(problem: Any, what: str) -> str:
    """Return a problem of pydantic in words; of a fixed choice with the nearest word."""
    value, message = problem["input"], problem["msg"].removeprefix("Value error, ")
    words = re.findall("'(.*?)'", problem.get("ctx", {}).get("expected", ""))
    if problem["type"] == "literal_error" and words:
        return unknown(what, value, words)
    if problem["type"] == "string_pattern_mismatch":
        message = "a name has letters, digits and _.=+-; 'labels' says how it is shown"
    if problem["type"] == "string_type" and isinstance(value, Scalar):
        message = f"expected a text, '{value}' in quotes"
    if problem["type"] in ("dict_type", "model_type", "model_attributes_type"):
        key, is_name = str((*problem["loc"], "")[0]), isinstance(value, str)
        is_method = is_name and key in ("learners", "estimators", "importances", "metrics")
        as_written = f"{key[:-1]}: {value:.80}" if is_method else "key: value"
        message = f"expected a mapping, {{{as_written}}}"
    if problem["type"] == "list_type":
        message = "expected a list, [a, b]"
    is_whole = problem["type"] == "missing" or message.startswith("unknown")
    return message if is_whole else f"{message}, got {value!r:.80}"
