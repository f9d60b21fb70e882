"""What stands around a message: time, level, logger; one row of envelopes.tsv a kind."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pipeline.core.errors import SettingsError
from pipeline.kafka.wording import table

MESSAGE = "(?P<message>"
HEAD_GROUPS = ("time", "level", "message", "logger", "rest")


@dataclass(frozen=True)
class Envelope:
    """`start`: what a record's first line begins with. `head`: RE2 over the whole record, with the groups
    time, level, message, logger and rest (the lines after the message). `time_format`: letters y M d H m s S
    stand for one digit each. `logger_form`: full, or short for the last part of the name only.
    """

    name: str
    start: str
    head: str
    time_format: str
    logger_form: str

    @cached_property
    def beginning(self) -> str:
        """The part of the head before the message: it still reads where the message has no end."""
        return self.head[: self.head.index(MESSAGE)]

    @cached_property
    def beginning_groups(self) -> tuple[str, ...]:
        return tuple(name for name in HEAD_GROUPS if f"(?P<{name}>" in self.beginning)

    @cached_property
    def forged(self) -> str:
        """RE2: a start inside a message, after a line end or a carriage return."""
        return r"[\r\n][ \t]*" + self.start


@lru_cache(maxsize=1)
def envelopes() -> dict[str, Envelope]:
    """The built-in envelopes by name, in the order in which they are tried."""
    found = [Envelope(**row) for row in table("envelopes.tsv")]
    for envelope in found:
        missing = [name for name in HEAD_GROUPS if f"(?P<{name}>" not in envelope.head]
        if missing:
            raise SettingsError(
                expected=f"groups {', '.join(HEAD_GROUPS)}",
                found=f"no {', '.join(missing)} in envelope {envelope.name}",
                todo="mend its head",
            )
        re.compile(envelope.start)
    return {envelope.name: envelope for envelope in found}
