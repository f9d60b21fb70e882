"""The ConversionPattern of a layout that is not built in, from lines whose messages are wordings of Kafka's."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from pipeline.core.errors import SettingsError
from pipeline.kafka.layout.conversion_pattern import compile_pattern
from pipeline.kafka.wording.loggers import full_names
from pipeline.kafka.wording.templates import matcher_of_texts, wording_loggers

MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
DATE = re.compile(
    rf"(?:\d{{4}}(?P<sign>[-/.])\d\d(?P=sign)\d\d|\d\d(?P<blank>[ /-]){MONTH}(?P=blank)\d{{4}})(?P<between>[ T:])"
    r"\d\d:\d\d:\d\d(?:(?P<point>[.,])(?P<fraction>\d{9}|\d{6}|\d{3}))?(?!\d)(?P<zone> ?(?:Z\b|[+-]\d\d:?\d\d\b))?"
)
LEVEL = re.compile(r"(?<![A-Za-z])(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)(?![A-Za-z])")
# What may stand before the time: a level, and a bracket. All else is a shipper's.
FIRST = re.compile(rf"(?:[\[(<{{]?{LEVEL.pattern} *[\])>}}]? ?[-:|]? ?)?[\[(<{{]?")
NAME = re.compile(r"[A-Za-z_][\w.$~]*")
# A class of another program says who printed the line.
OTHER_CLASS = re.compile(r"(?<![\w.])(?!kafka\.|org\.apache\.kafka\.)(?:[a-z_]\w*\.){2,}[A-Z]\w*")
# Where a message may begin, and what brackets may stand behind it.
BEGIN = re.compile(r"(?<=[\s:|\]>)\"'=-])\S")
BEHIND = re.compile(r"(?:\s+[(\[][^()\[\]]*[)\]])+\s*\Z")
QUOTED = " \t\r,;|\"'`"
BRACKETS = re.compile(r"\s+[(\[]")
PIECE = re.compile(r"(?P<group>\[[^\[\]]*\])|(?P<word>[^\s\[\](){}<>|,;:=@%]+)|(?P<blank>[ \t]+)|.")
PRINTED, NUMBER, GROUP, BLANK, LEFT, RIGHT = "%t", "%L", "[%t]", " ", "%-5p", "%5p"
LINES, HEAD_CHARACTERS, LINE_CHARACTERS = 40, 300, 2000
MOST_PATTERNS = 3
# Wordings that fix less may be any program's.
SURELY_FIXED = 15


@dataclass(frozen=True)
class WordingInLine:
    """A wording in a line: its place there, how much it fixes, and who prints it."""

    line: str
    begin: int
    end: int
    fixed: int
    loggers: tuple[str, ...]

    @property
    def message(self) -> str:
        return self.line[self.begin : self.end]

    @property
    def before(self) -> str:
        return self.line[: self.begin]

    @property
    def behind(self) -> str:
        return self.line[self.end :]

    @property
    def is_of_others(self) -> bool:
        """Whether another program's class stands around the message."""
        named = OTHER_CLASS.findall(f"{self.before} {self.behind}")
        return not all(full_names(name, self.loggers, "short") for name in named)

    @property
    def order(self) -> tuple[int, bool, int, int]:
        names = (name[0] for name in NAME.finditer(self.behind))
        is_named = any(full_names(name, self.loggers, "tail") for name in names)
        return self.fixed, is_named, self.begin, self.end


def learned_patterns(lines: Iterable[str]) -> list[str]:
    """The patterns that most lines may have been printed by, a few at most; none where no line holds a wording."""
    dated = [line for line in lines if DATE.search(line[:HEAD_CHARACTERS])]
    found = (_pattern(one) for one in wordings_in_lines(dated[:: len(dated) // LINES + 1]))
    return [one for one, _ in Counter(filter(None, found)).most_common(MOST_PATTERNS)]


def wordings_in_lines(lines: Sequence[str]) -> Iterator[WordingInLine]:
    """Of each line that holds one the wording that fixes most."""
    tried = [(line, *place) for line in lines if len(line) <= LINE_CHARACTERS for place in _places(line)]
    if not tried:
        return
    texts = pa.array([line[begin:end] for line, begin, end in tried], pa.string())
    of_all = matcher_of_texts()
    numbers = of_all.match(pa.repeat(pa.scalar(""), len(tried)), texts).template.tolist()
    best: dict[str, WordingInLine] = {}
    for (line, begin, end), number in zip(tried, numbers, strict=True):
        wording = of_all.templates[number] if number >= 0 else None
        if wording is None or wording.literal_length < SURELY_FIXED:
            continue
        one = WordingInLine(line, begin, end, wording.literal_length, wording_loggers().get(wording.text, ()))
        if one.loggers and (line not in best or one.order > best[line].order):
            best[line] = one
    yield from best.values()


def _places(line: str) -> Iterator[tuple[int, int]]:
    """From where to where a message may stand."""
    date = DATE.search(line)
    behind = BEHIND.search(line)
    brackets = BRACKETS.finditer(line, behind.start()) if behind else ()
    ends = {len(line.rstrip()), len(line.rstrip(QUOTED)), *(one.start() for one in brackets)}
    for begin in BEGIN.finditer(line, date.end() if date else 0, HEAD_CHARACTERS):
        yield from ((begin.start(), end) for end in ends if end > begin.start())


def _pattern(said: WordingInLine) -> str | None:
    """None where another program's class stands around the message, words before the time or one more time behind it
    (of a shipper), or what no pattern says."""
    before, date = said.before, DATE.search(said.before)
    if date is None or said.is_of_others:
        return None
    level = LEVEL.search(before, date.end()) or LEVEL.search(before[: date.start()])
    if DATE.search(before, date.end()) or not FIRST.fullmatch(before, 0, date.start()):
        return None
    items = [(*date.span(), _date(date))]
    if level:
        items.append((*level.span(), LEFT))
    logger = _logger(before, items, said.loggers)
    items += logger
    tail = [] if logger else _logger(said.behind, [], said.loggers)
    pieces = [*_pieces(before, sorted(items)), "%m", *_pieces(said.behind.rstrip(), tail), "%n"]
    pattern = "".join(_padded(pieces))
    try:
        compile_pattern(pattern)
    except SettingsError:
        return None
    return pattern


def _date(found: re.Match[str]) -> str:
    sign, blank, between, point = found.group("sign", "blank", "between", "point")
    day = f"yyyy{sign}MM{sign}dd" if sign else f"dd{blank}MMM{blank}yyyy"
    fraction = point + "S" * len(found["fraction"]) if point else ""
    zone = "" if found["zone"] is None else " XXX" if found["zone"][0] == BLANK else "XXX"
    hour = "'T'HH" if between == "T" else f"{between}HH"
    return f"%d{{{day}{hour}:mm:ss{fraction}{zone}}}"


def _logger(
    text: str, taken: Sequence[tuple[int, int, str]], loggers: tuple[str, ...]
) -> list[tuple[int, int, str]]:
    """Where one of the loggers is named, in full or in part."""
    for name in NAME.finditer(text):
        is_free = all(name.end() <= begin or end <= name.start() for begin, end, _ in taken)
        if is_free and full_names(name[0], loggers, "short"):
            return [(*name.span(), "%c" if name[0] in loggers else "%c{1}")]
    return []


def _pieces(text: str, items: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    """Conversions, words and what stands in brackets as conversions, blanks, and signs as they are."""
    at = 0
    for begin, end, conversion in items:
        yield from _words(text[at:begin])
        yield conversion
        at = end
    yield from _words(text[at:])


def _words(text: str) -> Iterator[str]:
    for piece in PIECE.finditer(text):
        if piece["group"]:
            yield GROUP
        elif piece["word"] and any(map(str.isalnum, piece["word"])):
            yield NUMBER if piece["word"].isdigit() else PRINTED
        else:
            yield piece[0].replace("%", "%%").replace("\\", "\\\\")


def _padded(pieces: Sequence[str]) -> list[str]:
    """With blanks in a row as what fills up the conversion before them or, if none stands there, behind them."""
    done = list(pieces)
    for at, piece in enumerate(done):
        if piece.isspace() and len(piece) > 1:
            before, after = (done[place] if 0 <= place < len(done) else "" for place in (at - 1, at + 1))
            if _can_be_filled(before):
                done[at - 1 : at + 1] = before if before == LEFT else f"%-1{before[1:]}", BLANK
            elif _can_be_filled(after):
                done[at : at + 2] = BLANK, RIGHT if after == LEFT else f"%1{after[1:]}"
    return done


def _can_be_filled(piece: str) -> bool:
    return piece in (LEFT, PRINTED) or piece.startswith("%c")
