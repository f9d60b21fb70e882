"""What is masked on request: rules by kind, one row of masks.tsv each, and patterns of the settings."""

from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.masking import Masker, MaskRule, masked_records, values, with_values
from pipeline.core.scan import Records
from pipeline.kafka.envelope import Envelope
from pipeline.kafka.record_text import without_wrappers
from pipeline.kafka.wording import table

# Names of tokens by kind.
TOKENS = {"hosts": "host", "principals": "principal", "addresses": "addr", "client_ids": "client"}
KINDS = tuple(TOKENS)

_DN_TYPE = r"(?:[A-Z]{1,12}|OID\.[0-9.]+|[0-9]+(?:\.[0-9]+)+|emailAddress)"
_DN = (
    rf"(?:{_DN_TYPE}=(?:\\.|[^,+=\\\"'()\[\]{{}}<>])*[,+] ?)*"
    rf"{_DN_TYPE}=(?:\\.|[^,+=\\\"'()\[\]{{}}<>\s])+(?: [A-Z0-9](?:\\.|[^,+=\\\"'()\[\]{{}}<>\s])*)*"
)
_WORD = r"[^\s,;()\[\]{}<>\"']+"
_HOST = r"[\w\x80-\xff](?:[\w.\x80-\xff-]*[\w\x80-\xff])?"
_GROUP = r"[0-9A-Fa-f]{1,4}"
# What a secret looks like, RE2 over bytes.
SHAPES = {
    "word": _WORD,
    "name": rf"{_DN}|{_WORD}",
    "dn": rf"CN=(?:\\.|[^,+=\\\"'()\[\]{{}}<>])*[,+] ?{_DN}|CN=(?:\\.|[^,+=\\\"'()\[\]{{}}<>\s])+",
    "quoted": r"[^']+",
    "any": r".+?",
    "filled": r"[^ ]{1,100}",
    "host": _HOST,
    "fqdn": rf"{_HOST}\.[A-Za-z][\w-]*",
    "aws": r"ip-[0-9]{1,3}(?:-[0-9]{1,3}){3}(?:\.[\w-]+)*",
    "list": r"[^\s\[\]]+",
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
        return _masker(self)

    def path(self, path: str) -> str:
        """A path as it is stored. Different paths stay different."""
        folder, slash, name = path.rpartition("/")
        if "hosts" in self.kinds:
            # Twice: neighbouring folders share a slash.
            folder = (
                _of_paths(self, FOLDER).text(_of_paths(self, FOLDER).text(f"{folder}/")).removesuffix("/")
            )
            name = _of_paths(self, FILE).text(name)
        return self.masker.text(f"{folder}{slash}{name}")


@lru_cache(maxsize=8)
def _masker(masking: Masking) -> Masker:
    own = tuple(MaskRule(name, f"(?:{pattern})") for name, pattern in masking.patterns)
    return Masker(
        (*own, *(rule for kind in KINDS if kind in masking.kinds for rule in rules(kind))), masking.key
    )


@lru_cache(maxsize=8)
def _of_paths(masking: Masking, rule: MaskRule) -> Masker:
    return Masker((rule,), masking.key)


def rules(kind: str) -> tuple[MaskRule, ...]:
    return tuple(
        MaskRule(TOKENS[kind], SHAPES[row["shape"]], row["before"], row["after"], row["unless"])
        for row in table("masks.tsv")
        if row["kind"] == kind
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


def masked(records: Records, envelope: Envelope, masking: Masking) -> Records:
    """The records as they are stored and parsed. Lines that a runtime tore are joined, without its wrapper, so
    that a secret stands in one piece."""
    if envelope.wrappers:
        inside = without_wrappers(records, envelope)
        is_torn = inside.line_ends < records.line_ends
        if is_torn.any():
            joined = pa.concat_arrays([pc.if_else(pa.array(is_torn), values(inside), values(records))])
            records = with_values(records, joined)
    return masked_records(records, masking.masker)
