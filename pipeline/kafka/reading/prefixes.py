"""What stands before the time of each line and is no wrapper that is known: its form, learned from the lines."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from pipeline.kafka.layout.conversion_pattern import Layout
from pipeline.kafka.layout.envelope import Envelope
from pipeline.kafka.layout.json_layout import JsonLayout
from pipeline.kafka.layout.prefix import PREFIX
from pipeline.kafka.wording.loggers import is_kafkas
from pipeline.kafka.wording.templates import template_matcher

# A word is what may differ from line to line: a number, a name, a path, a time.
_WORD_LETTERS = r"\w.\/$@+~-"
_PIECE = re.compile(
    rf"(?P<word>[{_WORD_LETTERS}]*[^\W_][{_WORD_LETTERS}]*)|(?P<blank> +)|.", re.ASCII | re.DOTALL
)
# An address is a word: it may be masked.
_FIGURES = r"[\d-]+(?:\.\d+)?"
_KINDS_OF_WORDS = (r"\d+", _FIGURES, rf"[{_WORD_LETTERS}]+")
_SPECIAL = frozenset(r".^$*+?{}[]|()\\")
WORD, BLANK = "W", " "
# A logger of Kafka's in front: the line is a record in a layout that is not known, and not one behind a prefix.
_CLASS = re.compile(r"(?:\w+\.)+[A-Z][\w$]*", re.ASCII)
LONGEST = 300
TIMES_TRIED = 4
FORMS_TRIED = 4
MOST_NAMES = 20
# What grep puts before a line of a file (file and number; `-` before those around a match), cat -n and less -N.
OF_GREP = ((WORD, ":"), (WORD, ":", WORD, ":"))
NUMBERED = ((WORD, "\t"), (WORD, " "), (WORD, "  "))
_EXCERPT = re.compile(rf"(?:.*/)?{PREFIX}(?:(?:\\.|[^\\/])*\[:-\]| \*\\d\+(?:\\t| +))/", re.DOTALL)

Form = tuple[str, ...]


@dataclass(frozen=True)
class Prefix:
    """`name`: of the wrapper, with the form of all words, so that other words later in a file are none the worse.
    `strictly`: the same with the words that are the same in each line. `before`, `rest`: the first line with a time,
    up to it and from it on.
    """

    name: str
    strictly: re.Pattern[str]
    before: str
    rest: str

    def stands_before(self, line: str) -> bool:
        return self.strictly.match(line) is not None

    def stands_before_records(self, bare: Envelope) -> bool:
        """Not where it holds what these begin with: the lines after a message could not be told from records."""
        is_begun = bare.start_pattern.match(self.rest.encode("utf-8", "replace")) is not None
        return is_begun and re.search(bare.surely, self.before, re.ASCII) is None


def learned_prefixes(
    lines: Sequence[str],
    own: Iterable[Layout | JsonLayout],
    least: float,
    *,
    behind_time: bool = True,
    may_be_none: bool = False,
) -> Iterator[Prefix]:
    """The prefixes that at least such a share of the lines with a time has in front of it, the most usual first.

    own: the layouts of which a record may be. behind_time: what begins with a time is a record of another program, and
    may stand in front of Kafka's own; else it may be Kafka's, and what stands inside of it is no record.
    may_be_none: lines that begin with their time do not count.
    """
    times = _times(tuple(own))
    found: dict[Form, list[tuple[str, str]]] = defaultdict(list)
    timed: list[str] = []
    for line in lines:
        ends = [one.start() for one in times.finditer(line[:LONGEST])][:TIMES_TRIED]
        begins = ends[:1] == [0]
        timed += [line] if ends and not (may_be_none and begins) else []
        for end in ends if behind_time or not begins else ():
            form, _ = form_of(line[:end])
            if form and form[-1] != WORD:
                found[form].append((line[:end], line[end:]))
    usual = sorted(found.items(), key=lambda one: -len(one[1]))[:FORMS_TRIED]
    for form, some in usual:
        words = [form_of(before)[1] for before, _ in some]
        if not any(is_of_kafka(one.strip()) for one in words[0]):
            prefix = _prefix(form, words, some[0])
            if sum(map(prefix.stands_before, timed)) >= least * len(timed):
                yield prefix


def is_behind_prefix(envelope: str) -> bool:
    return PREFIX in envelope


def is_excerpt(envelope: str) -> bool:
    """Whether lines begin as grep, cat -n or less -N print those of another file."""
    return _EXCERPT.match(envelope) is not None


def form_of(before: str) -> tuple[Form, tuple[str, ...]]:
    """Its form, and its words with the blanks that may only fill up their width."""
    pieces = [(one.lastgroup, one[0]) for one in _PIECE.finditer(before)]
    form: list[str] = []
    words: list[str] = []
    for (kind, text), (following, _) in zip_longest(pieces, pieces[1:], fillvalue=("", "")):
        fills_up = kind == "blank" and following == "word" and form[-1:] != [WORD]
        if kind == "word":
            words.append(words.pop() + text if words[-1:] and words[-1].isspace() else text)
            form.append(WORD)
        elif fills_up:
            words.append(text)
        else:
            form.append(BLANK if kind == "blank" and following else text)
    return tuple(form), tuple(words)


@lru_cache(maxsize=64)
def _times(own: tuple[Layout | JsonLayout, ...]) -> re.Pattern[str]:
    """How a record begins: up to its time, or as an object."""
    patterns = dict.fromkeys(_until_time(one) for one in own if isinstance(one, Layout))
    objects = [r'\{ ?"'] if any(isinstance(one, JsonLayout) for one in own) else []
    return re.compile("|".join([*patterns, *objects]), re.ASCII)


def _until_time(layout: Layout) -> str:
    """Without what stands before it where that may be anything."""
    whole = "".join(part.pattern for part in layout.until_time)
    return layout.until_time[-1].pattern if "[^" in whole else whole


def is_of_kafka(word: str) -> bool:
    """Whether it is a logger of a Kafka server, whole or by its last part."""
    return word in _loggers() or (_CLASS.fullmatch(word) is not None and is_kafkas(word))


@lru_cache(maxsize=1)
def _loggers() -> frozenset[str]:
    """Those that templates name, whole and by their class."""
    sources = [one for one in template_matcher().sources if "." in one and is_kafkas(one)]
    classes = [one.rsplit(".", 1)[-1] for one in sources]
    return frozenset([*sources, *(one for one in classes if one[0].isupper())])


def _prefix(form: Form, words: Sequence[tuple[str, ...]], first: tuple[str, str]) -> Prefix:
    columns = [tuple(dict.fromkeys(one)) for one in zip(*words, strict=True)]
    is_numbered = form in NUMBERED and all(one.strip().isdigit() for one in columns[0])
    if form in OF_GREP:
        strict = general = _of_grep(columns)
    elif is_numbered:
        strict = general = rf" *\d+{_literal(form[1])}"
    else:
        general = _pattern(form, [_general(one) for one in columns])
        strict = _pattern(form, [_strict(one) for one in columns])
    return Prefix(f"{PREFIX}{general}", re.compile(strict, re.ASCII), *first)


def _of_grep(columns: Sequence[tuple[str, ...]]) -> str:
    """The names as they are: a `-` behind one could be a part of it."""
    pieces = []
    for texts in columns:
        if all(one.isdigit() for one in texts):
            pieces.append(r"\d+[:-]")
        elif len(texts) <= MOST_NAMES:
            names = "|".join(_literal(one) for one in sorted(texts, key=len, reverse=True))
            pieces.append(rf"(?:{names})[:-]")
        else:
            pieces.append(f"{_KINDS_OF_WORDS[-1]}:")
    return "".join(pieces)


def _pattern(form: Form, words: Sequence[str]) -> str:
    left = iter(words)
    inner = "".join(
        next(left) if piece == WORD else " +" if piece == BLANK else _literal(piece) for piece in form[:-1]
    )
    return inner + _literal(form[-1])


def _strict(texts: Sequence[str]) -> str:
    return _literal(texts[0]) if len(texts) == 1 and not texts[0].strip().isdigit() else _general(texts)


def _general(texts: Sequence[str]) -> str:
    filled = " *" if any(one.startswith(" ") for one in texts) else ""
    return filled + next(
        kind for kind in _KINDS_OF_WORDS if all(re.fullmatch(kind, one.strip(), re.ASCII) for one in texts)
    )


def _literal(text: str) -> str:
    """For Python's re and RE2, in one line, each slash escaped."""
    return "".join(_escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    if letter in "\t/":
        return {"\t": r"\t", "/": r"\/"}[letter]
    if letter < " " or letter == "\x7f":
        return rf"\x{ord(letter):02x}"
    return f"\\{letter}" if letter in _SPECIAL else letter
