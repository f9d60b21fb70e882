"""What is masked on request: rules by kind, one row of masks.tsv each, and patterns of the settings."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.json_masking import masked_json
from pipeline.core.masking import Masker, MaskRule, record_bytes_array, with_changed_lines, with_values
from pipeline.core.scan import ScannedRecords
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.layout.envelope import Envelope
from pipeline.kafka.layout.json_layout import JsonLayout
from pipeline.kafka.layout.wrapper import Wrapper
from pipeline.kafka.reading.record_text import without_wrappers

# Names of tokens by kind.
TOKENS = {"hosts": "host", "principals": "principal", "addresses": "addr", "client_ids": "client"}
KINDS = tuple(TOKENS)

_BETWEEN = r"\s,;()\[\]{}<>\"'"
# A full stop or colon at the end belongs to the sentence.
_WORD = rf"[^{_BETWEEN}]*[^{_BETWEEN}.:!?]"
_DN_TYPE = r"(?:[A-Z]{1,12}|OID\.[0-9.]+|[0-9]+(?:\.[0-9]+)+|emailAddress)"
_DN_TEXT = rf"(?:\\.|[^+=\\{_BETWEEN}])*(?:\\.|[^+=\\.:{_BETWEEN}])"
_DN_PARTS = r"(?:\\.|[^,+=\\\"'()\[\]{}<>])*[,+] ?"
_DN_LAST = rf"{_DN_TEXT}(?: [A-Z0-9](?:{_DN_TEXT})?)*"
_DN = rf"(?:{_DN_TYPE}={_DN_PARTS})*{_DN_TYPE}={_DN_LAST}"
_HOST = r"[\w\x80-\xff](?:[\w.\x80-\xff-]*[\w\x80-\xff])?"
_GROUP = r"[0-9A-Fa-f]{1,4}"
# What a secret looks like, RE2 over bytes.
SHAPES = {
    "word": _WORD,
    "name": rf"{_DN}|{_WORD}",
    "dn": rf"CN={_DN_PARTS}{_DN}|CN={_DN_LAST}",
    "quoted": r"[^']+",
    "any": r".+?",
    "filled": r"[^ ]{1,100}",
    "host": _HOST,
    "fqdn": rf"{_HOST}\.[A-Za-z][\w-]*",
    "aws": r"ip-[0-9]{1,3}(?:-[0-9]{1,3}){3}(?:\.[\w-]+)*",
    "list": r"[^\s\[\]\"\\]*[^\s\[\].\"\\]",
    "container": r"[A-Za-z0-9][\w.-]{0,63}",
    "pod": r"[a-z][a-z0-9.-]{0,99}?",
    "ipv4": r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:\.?[0-9]+)*",
    "ipv6": rf"(?:{_GROUP}:){{7}}{_GROUP}|(?:{_GROUP}:){{1,7}}(?::{_GROUP}){{1,7}}|(?:{_GROUP}:){{1,7}}:"
    rf"|::(?:{_GROUP}:){{0,6}}{_GROUP}",
}
# A folder that is named as a host with its domain; in front of a log's name in that of a file.
FOLDER = MaskRule("host", r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}", before="^|/", after="/", unless="")
FILE = MaskRule(
    "host",
    r"[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}",
    before="^",
    after="[-_.](?:state-change|controller|server)[.]",
)


@dataclass(frozen=True)
class Masking:
    """`patterns`: (name of the tokens, RE2), tried before the kinds. The key never leaves memory."""

    kinds: tuple[str, ...]
    patterns: tuple[tuple[str, str], ...]
    key: bytes

    def __repr__(self) -> str:
        return f"Masking({', '.join(self.kinds)}, {len(self.patterns)} patterns)"

    @property
    def masker(self) -> Masker:
        return _masker(self, frozenset())

    def inside(self, envelope: Envelope) -> Masker:
        """With what is a secret only where such wrappers are known to stand around each line."""
        return _masker(self, frozenset(one.name for one in envelope.wrappers) & _telling())

    def path(self, path: str) -> str:
        """A path as it is stored. Different paths stay different."""
        maskers = _of_paths(self)
        folder, slash, name = maskers[0].text(path).rpartition("/")
        if "hosts" in self.kinds and folder:
            # Twice: neighbouring folders share a slash.
            folder = maskers[1].text(maskers[1].text(f"{folder}/")).removesuffix("/")
        return f"{folder}{slash}{maskers[2].text(name) if 'hosts' in self.kinds else name}"

    def sentence(self, text: str, path: str) -> str:
        """A sentence about a path."""
        return self.path(path).join(self.masker.text(part) for part in text.split(path))


@lru_cache(maxsize=8)
def _masker(masking: Masking, around: frozenset[str]) -> Masker:
    return Masker((*_own(masking), *_rules_of(masking, KINDS, around)), masking.key)


@lru_cache(maxsize=1)
def _telling() -> frozenset[str]:
    return frozenset(row["wrapper"] for row in read_fact_table("reading/masks.tsv"))


@lru_cache(maxsize=8)
def _of_kinds(masking: Masking) -> Masker:
    """Rules that leave tokens as they are; patterns of the settings may match a part of one."""
    return Masker(_rules_of(masking, KINDS), masking.key)


@lru_cache(maxsize=8)
def _of_paths(masking: Masking) -> tuple[Masker, Masker, Masker]:
    """For all of a path, for its folders, for the file's name; how Kafka prints hosts is no matter there."""
    others = _rules_of(masking, [kind for kind in KINDS if kind != "hosts"])
    rules_of = ((*_own(masking), *others), (FOLDER,), (FILE,))
    return tuple(Masker(some, masking.key) for some in rules_of)  # type: ignore[return-value]  # three of them


def _own(masking: Masking) -> tuple[MaskRule, ...]:
    return tuple(MaskRule(name, f"(?:{pattern})") for name, pattern in masking.patterns)


def _rules_of(
    masking: Masking, kinds: Iterable[str], around: frozenset[str] = frozenset()
) -> tuple[MaskRule, ...]:
    return tuple(rule for kind in kinds if kind in masking.kinds for rule in mask_rules(kind, around))


def mask_rules(kind: str, around: frozenset[str] = frozenset()) -> tuple[MaskRule, ...]:
    """around: wrappers of which the rows count that need one."""
    return tuple(
        MaskRule(TOKENS[kind], SHAPES[row["shape"]], row["before"], row["after"], row["unless"])
        for row in read_fact_table("reading/masks.tsv")
        if row["kind"] == kind and row["wrapper"] in {"", *around}
    )


def pattern_problem(pattern: str) -> str | None:
    """Why a pattern of the settings cannot be used; None if it can."""
    try:
        matched = pc.match_substring_regex(pa.array([b"", b"\n"], pa.binary()), pattern).to_pylist()
    except pa.ArrowInvalid as problem:
        return f"an RE2 pattern ({problem})"
    if any(matched):
        return "a pattern that matches neither nothing nor a line end"
    try:
        pc.replace_substring_regex(pa.array([b""]), f"({pattern})", r"\2")
    except pa.ArrowInvalid:
        return None
    return "a pattern without groups that capture: (?:...) is none"


def mask_records(records: ScannedRecords, envelope: Envelope, masking: Masking) -> ScannedRecords:
    """The records as they are stored and parsed. Lines that a runtime tore are put together before, so that a
    secret stands in one piece; of a line that is not whole nothing is left behind its time and level."""
    if envelope.wrappers and envelope.wrappers[0].name in WHOLE:
        records = _in_one_piece(records, envelope.wrappers[0])
    done = with_changed_lines(records, partial(_masked_lines, envelope=envelope, masking=masking))
    return _without_torn_line(done, envelope, masking)


def _masked_lines(lines: pa.Array, envelope: Envelope, masking: Masking) -> pa.Array:
    """Each as what it is, text or an object, as the layout of a file may be changed; as both where nothing tells."""
    is_object, is_text = _kinds(lines, envelope)
    if not pc.any(is_object).as_py():
        return masking.inside(envelope).masked(lines)
    texts = masking.inside(envelope).masked(lines.filter(is_text))
    lines = pc.replace_with_mask(lines, is_text, texts)
    objects = masked_json(lines.filter(is_object), masking.masker, _of_kinds(masking))
    return pc.replace_with_mask(lines, is_object, objects)


def _kinds(lines: pa.Array, envelope: Envelope) -> tuple[pa.Array, pa.Array]:
    """Which are objects, and which text: some are both, as the lines after a record."""
    if any(one.is_json for one in envelope.wrappers):
        return tuple(pa.repeat(pa.scalar(one), len(lines)) for one in (True, False))
    of_objects = [one.surely for one in envelope.siblings if isinstance(one.layout, JsonLayout)]
    of_texts = [one.surely for one in envelope.siblings if not isinstance(one.layout, JsonLayout)]
    if isinstance(envelope.layout, JsonLayout):
        is_text = _begin(lines, of_texts)
        looks_like = _begin(lines, (envelope.around(IN_OBJECT), IN_OBJECT))
        return pc.invert(is_text), pc.or_(is_text, pc.invert(looks_like))
    is_own = _begin(lines, (envelope.start,))
    is_object = pc.and_(_begin(lines, (envelope.around(OBJECT), OBJECT)), pc.invert(is_own))
    return is_object, pc.invert(pc.and_(is_object, _begin(lines, of_objects)))


def _begin(lines: pa.Array, patterns: Iterable[str]) -> pa.Array:
    return pc.match_substring_regex(lines, rf"\A(?:{MARK_OF_ORDER})?(?:{'|'.join(patterns)})")


def _without_torn_line(records: ScannedRecords, envelope: Envelope, masking: Masking) -> ScannedRecords:
    """Whether what a line breaks off in is a secret would be told by what follows it."""
    lines = record_bytes_array(records)
    ends = pc.ends_with(lines, "\n")
    is_half = pc.and_(ends, False)
    if any(one.kind == "json_text" for one in envelope.wrappers):
        # Docker ends the text as the line was, and its own line always.
        inner = record_bytes_array(without_wrappers(records, envelope.wrappers))
        is_half = pc.and_(ends, pc.invert(pc.ends_with(inner, "\n")))
    is_torn = pc.or_(pc.or_(pc.invert(ends), pa.array(records.is_cut)), is_half)
    if not pc.any(is_torn).as_py():
        return records
    start = envelope.start if not re.compile(envelope.start).groups else ""
    rule = MaskRule("cut", r"[^\n]+", before=rf"(?:\A|\n)(?:{start})?(?:{LEVEL})?", after=r"\n?\z")
    torn = Masker((rule,), masking.key).masked(lines.filter(is_torn))
    ended = pc.replace_substring_regex(torn, r"\n\z", '"}\n')
    torn = pc.if_else(is_half.filter(is_torn), ended, torn)
    return with_values(records, pc.replace_with_mask(lines, is_torn, torn))


def _in_one_piece(records: ScannedRecords, wrapper: Wrapper) -> ScannedRecords:
    inside = without_wrappers(records, (wrapper,))
    torn = np.flatnonzero(inside.line_ends < records.line_ends)
    if not len(torn):
        return records
    lines, inner = record_bytes_array(records), record_bytes_array(inside)
    whole = [
        WHOLE[wrapper.name](lines[row].as_py(), LINE.findall(inner[row].as_py())) for row in torn.tolist()
    ]
    is_torn = pa.array(np.isin(np.arange(len(records)), torn))
    return with_values(records, pc.replace_with_mask(lines, is_torn, pa.array(whole, pa.binary())))


def _cri(torn: bytes, lines: Sequence[bytes]) -> bytes:
    stamp = b" ".join([*torn.split(b" ", 2)[:2], b"F "])
    return b"".join(stamp + line for line in lines)


def _json_file(_: bytes, lines: Sequence[bytes]) -> bytes:
    texts = (
        json.dumps({"log": line.decode("utf-8", "replace")}, separators=(",", ":"), ensure_ascii=False)
        for line in lines
    )
    return "".join(f"{text}\n" for text in texts).encode()


LEVEL = r"\[?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) ?\]? "
LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
OBJECT, IN_OBJECT = r"\{", r"[ \t]*[{}\[\]\"]"
MARK_OF_ORDER = r"\xEF\xBB\xBF"
# How a runtime writes lines that it does not tear, by the name of its wrapper.
WHOLE = {"cri": _cri, "json_file": _json_file}
