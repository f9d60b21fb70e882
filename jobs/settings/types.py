"""What a setting may be: zones, patterns, names and releases, checked when the settings are read."""

import re
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field

from pipeline.core.errors import SettingsError
from pipeline.kafka.layout import envelope
from pipeline.kafka.layout.paths import PATTERN_GROUPS
from pipeline.kafka.wording.releases import is_release, release_names

# A brace that counts nothing, a bracket in a class, and groups that Java has not.
OF_PYTHON_ONLY = re.compile(r"(?<!\\)\{(?!\d+(?:,\d*)?\})|(?<!\\)\[[^\]\\]*\[|\(\?(?!:|=|!|<[=!]|[ims]+\))")
CLUSTER_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise ValueError("an IANA time zone such as UTC or Europe/Berlin") from None
    return name


def _pattern(text: str) -> str:
    try:
        groups = set(re.compile(text).groupindex)
    except re.error as problem:
        raise ValueError(f"a regular expression ({problem})") from None
    if not groups or not groups <= set(PATTERN_GROUPS):
        raise ValueError(f"a regular expression with named groups out of {', '.join(PATTERN_GROUPS)}")
    return text


def _envelope(text: str) -> str:
    try:
        return envelope.envelope_by_name(text).name
    except SettingsError as problem:
        raise ValueError(f"{problem.expected} (found {problem.found})") from None


def _regex(text: str) -> str:
    try:
        re.compile(text)
    except re.error as problem:
        raise ValueError(f"a regular expression ({problem})") from None
    return text


def _entity(text: str) -> str:
    """What Python and Java, which compares it with entities, read alike."""
    if OF_PYTHON_ONLY.search(_regex(text)):
        raise ValueError("a regular expression that Java reads alike: escape { and [, name no groups")
    return text


def _name(text: str) -> str:
    if not re.fullmatch(CLUSTER_NAME, text):
        raise ValueError("a name that can be a folder: letters, digits, '.', '_' and '-', at most 100")
    return text


def _release(text: str) -> str:
    if not is_release(text):
        raise ValueError(
            f"a release of Kafka such as 2.2.2, or 2.2 for all of it, from "
            f"{release_names()[0]} to {release_names()[-1]}"
        )
    return text


def _server_log(given: object) -> bool | None:
    if given not in (None, "auto", True, False):
        raise ValueError("auto, true or false")
    return given if isinstance(given, bool) else None


# None: auto.
ServerLog = Annotated[bool | None, BeforeValidator(_server_log)]
Zone = Annotated[str, AfterValidator(_zone)]
Pattern = Annotated[str, AfterValidator(_pattern)]
Regex = Annotated[str, AfterValidator(_regex)]
EntityPattern = Annotated[str, AfterValidator(_entity)]
EnvelopeName = Annotated[str, AfterValidator(_envelope)]
ClusterName = Annotated[str, AfterValidator(_name)]
Release = Annotated[str, AfterValidator(_release)]
NodeId = Annotated[int, Field(ge=0)]
