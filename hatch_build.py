"""The README as an index page shows it: relative links and pictures lead nowhere there."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


def for_index_page(text: str, repository: str | None) -> str:
    """Make relative links and pictures absolute; without a repository leave text in their place.

    Parameters
    ----------
    text : str
        Markdown.
    repository : str or None
        URL of the public repository (``Repository`` under ``[project.urls]``).
    """

    def picture(match: re.Match[str]) -> str:
        return f"![{match[1]}]({repository}/raw/main/{match[2]})" if repository else f"*{match[1]}*"

    def link(match: re.Match[str]) -> str:
        return f"[{match[1]}]({repository}/blob/main/{match[2]})" if repository else match[1]

    relative = r"\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)"
    return re.sub(rf"(?<!!){relative}", link, re.sub(rf"!{relative}", picture, text))


class IndexPage(MetadataHookInterface):
    """Gives the package its long description."""

    def update(self, metadata: dict) -> None:
        """Read README.md, which ``dynamic`` in pyproject.toml leaves to this hook."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = metadata.get("urls", {}).get("Repository")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": for_index_page(text, repository),
        }
