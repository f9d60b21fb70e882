"""What a run tells while it goes on: stages on a terminal, one log line a stage without one."""

import logging
import sys
import time
from dataclasses import dataclass, field

log = logging.getLogger("kafka_controller_audit")


def is_stderr_terminal() -> bool:
    return sys.stderr.isatty()


@dataclass
class Progress:
    """Stages with counts and seconds. label: before each. has_details: steps within a stage are told, too."""

    is_terminal: bool = field(default_factory=is_stderr_terminal)
    started: float = field(default_factory=time.monotonic)
    label: str = ""
    has_details: bool = True

    def detail(self, text: str) -> None:
        """A step within a stage; told on a terminal only, so that a log keeps one line a stage."""
        if self.is_terminal and self.has_details:
            self.stage("", text)

    def stage(self, name: str, counts: str) -> None:
        seconds = time.monotonic() - self.started
        if self.is_terminal:
            print(f"\r\033[K{seconds:6.1f} s  {self.label}{name:<11} {counts}", file=sys.stderr, flush=True)
        else:
            log.info("%s%s: %s (%.1f s)", self.label, name, counts, seconds)
