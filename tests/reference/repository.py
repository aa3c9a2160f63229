"""Where the repository and the configuration of its studies lie."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIGURATION = REPOSITORY / "config" / "config.yaml"
