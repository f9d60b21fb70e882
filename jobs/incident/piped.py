"""Logs of several containers or hosts in one stream, as kubectl, docker compose, stern, syslog and journalctl print
them: a file of each."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple


class Form(NamedTuple):
    """pattern: what stands in front, with the name. is_kept: it stays there, as it is read as an envelope."""

    pattern: re.Pattern[bytes]
    is_kept: bool = False


HOST = rb"(?P<name>[A-Za-z0-9][A-Za-z0-9_.:-]{0,252}) "
ISO = rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"
FORMS = (
    # kubectl logs --prefix, docker compose logs, stern.
    Form(re.compile(rb"\[pod/(?P<name>[^/\]\s]{1,253})/[^\]\s]{1,253}\] ")),
    Form(re.compile(rb"(?P<name>[A-Za-z0-9][A-Za-z0-9_.-]{0,252}) +\| ")),
    Form(re.compile(rb"(?P<name>[a-z][a-z0-9.-]{0,252}-\d{1,5}) [a-z][a-z0-9-]{0,62} (?=[\[{\d])")),
    # syslog and journalctl: RFC 3164, ISO times, RFC 5424, -o json.
    Form(
        re.compile(rb"(?:<\d{1,3}>)?[A-Z][a-z]{2} [ 0-3]\d \d\d:\d\d:\d\d(?:\.\d{1,6})? " + HOST),
        is_kept=True,
    ),
    Form(
        re.compile(rb"(?:<\d{1,3}>)?" + ISO + rb" " + HOST + rb"[^ :\[\n]{1,64}(?:\[\d{1,10}\])?: "),
        is_kept=True,
    ),
    Form(re.compile(rb"<\d{1,3}>1 (?:" + ISO + rb"|-) " + HOST), is_kept=True),
    Form(
        re.compile(
            rb'\{(?=[^\n]*"MESSAGE" ?:)[^\n]*?"_HOSTNAME" ?: ?"(?P<name>[A-Za-z0-9][^"\\/\s]{0,252})"'
        ),
        is_kept=True,
    ),
)
FIRST_LINES = 20
MOST_NAMES = 500
BLOCK_LINES, LINE_BYTES, HEAD_BYTES = 20_000, 1 << 20, 1 << 16


@dataclass
class StreamFiles:
    """The files of a stream in a folder. form: None: the lines name nobody. files: by name, of a stream without names
    by None, and whole lines of all names beyond MOST_NAMES; last: the name of the line before, which goes on in lines
    without one."""

    folder: Path
    form: Form | None = None
    files: dict[bytes | None, Path] = field(default_factory=dict)
    last: bytes | None = None

    def write(self, lines: list[bytes]) -> None:
        """Behind what is there; lines end as they came."""
        parts: dict[bytes | None, list[bytes]] = defaultdict(list)
        for line in lines:
            found = self.form.pattern.match(line) if self.form else None
            self.last = self.known_name(found["name"]) if found else self.last
            is_cut = self.last is not None and self.form is not None and not self.form.is_kept
            parts[self.last].append(line[found.end() :] if found and is_cut else line)
        for name, own in parts.items():
            with self.file_of(name).open("ab") as stream:
                stream.writelines(own)

    def file_of(self, name: bytes | None) -> Path:
        return self.files.setdefault(name, self.folder / f"part-{len(self.files)}")

    def known_name(self, name: bytes) -> bytes | None:
        """None: there are as many as are told apart."""
        if name not in self.files and len(self.files) > MOST_NAMES:
            return None
        self.file_of(name)
        return name


def stream_form(lines: list[bytes]) -> Form | None:
    """What most of the first lines begin with: above them may stand what was typed. None: they do not begin alike."""
    first = [line for line in lines if line.strip()]
    matching = {one: sum(one.pattern.match(line) is not None for line in first) for one in FORMS}
    return next((one for one, count in matching.items() if count * 2 > len(first)), None)


def split_by_container(file: Path, folder: Path) -> dict[str, Path]:
    """By name of the container or host its lines; those above the first name by an empty one. None at all if most lines
    do not begin so, or name too many. folder: for the files, made where there are any."""
    with file.open("rb") as stream:
        form = stream_form(stream.read(HEAD_BYTES).splitlines(keepends=True)[:FIRST_LINES])
    if form is None:
        return {}
    folder.mkdir(exist_ok=True)
    written = StreamFiles(folder, form)
    with file.open("rb") as stream:
        lines = iter(lambda: stream.readline(LINE_BYTES), b"")
        while (block := [*islice(lines, BLOCK_LINES)]) and len(written.files) <= MOST_NAMES:
            written.write(block)
    is_split = len(written.files) <= MOST_NAMES
    return {stream_name(name): path for name, path in written.files.items()} if is_split else {}


def stream_name(name: bytes | None) -> str:
    return (name or b"").decode("utf-8", "replace")
