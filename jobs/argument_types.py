"""Arguments that commands of all kinds take, with what their values are: the settings are not loaded for them."""

import argparse
import contextlib
import math
from collections.abc import Sequence
from typing import Any, Protocol


class Takes(Protocol):
    """A parser, or a group of its arguments."""

    def add_argument(self, *names: str, **told: Any) -> argparse.Action: ...


def on_format(arguments: Takes, formats: Sequence[str] = ("text", "json")) -> None:
    arguments.add_argument(
        "--format", choices=formats, default="text", help="text for people, else for programs"
    )


def parse_seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if math.isfinite(float(text)) and float(text) >= 0:
            return float(text)
    raise argparse.ArgumentTypeError(f"expected a number of seconds such as 600, found {text!r}")
