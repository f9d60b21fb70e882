"""One line on a terminal that says what goes on; elsewhere one each ten seconds, so that a short run says nothing."""

import sys
import time

from jobs.engine.run.progress import Progress
from jobs.incident.memory import require_memory, scarcest_memory

CLEAR = "\r\033[K"
EACH_SECONDS = 10.0


class ProgressLine(Progress):
    """Each step in place of the one before. InputProblem: memory is short. due: second of the run that the next line
    waits for."""

    due: float = EACH_SECONDS

    def stage(self, name: str, counts: str) -> None:
        require_memory(scarcest_memory())
        text = f"{self.label}{name} {counts}".strip()
        seconds = time.monotonic() - self.started
        if self.is_terminal:
            print(f"{CLEAR}{text[:78]}", end="", file=sys.stderr, flush=True)
        elif seconds >= self.due:
            self.due = seconds + EACH_SECONDS
            print(f"incident: {text} ({seconds:.0f} s)", file=sys.stderr, flush=True)

    def detail(self, text: str) -> None:
        self.stage("", text)

    def clear(self) -> None:
        """Leaves no trace."""
        if self.is_terminal:
            print(CLEAR, end="", file=sys.stderr, flush=True)
