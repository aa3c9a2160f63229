"""A small project to start from: configuration, a study, your own method, a Snakefile."""

from pathlib import Path

from losaw.contracts.starter import template
from losaw.registry.plugins import PluginError
from losaw.support.checkout import checkout

_TEMPLATES = Path(__file__).parent / "templates" / "project"
_PLACES = {
    "README.md": "README.md",
    "Snakefile": "Snakefile",
    "config.yaml": "config/config.yaml",
    "study.yaml": "config/studies/my_study.yaml",
}
_PROFILES = ("profiles/default/profile.yaml", "profiles/slurm/profile.yaml")


def new_study(folder: Path | str) -> list[Path]:
    """Write a project that runs as it is; ``losaw run`` in its folder takes about a minute.

    Parameters
    ----------
    folder : path
        Must be new or empty.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    PluginError
        If the folder is not empty, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from losaw.contracts import new_study
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sorted({path.name for path in new_study(folder)})
    ['README.md', 'Snakefile', 'config.yaml', 'my_importance.py', 'my_study.yaml', 'profile.yaml']
    """
    folder = Path(folder)
    texts = {
        folder / place: (_TEMPLATES / name).read_text(encoding="utf-8")
        for name, place in _PLACES.items()
    }
    texts |= {folder / place: (checkout() / place).read_text("utf-8") for place in _PROFILES}
    texts[folder / "my_importance.py"] = template("importance", "my-importance")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise PluginError(f"{folder} exists and is not empty, and is unchanged: name a new one")
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PluginError(f"{folder} cannot be written: {error.strerror}") from None
    return list(texts)
