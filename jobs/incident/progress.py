"""One line on a terminal that says what goes on; nothing where nobody looks at it."""

import sys

from jobs.run.progress import Progress

CLEAR = "\r\033[K"


class ProgressLine(Progress):
    """Each step in place of the one before."""

    def stage(self, name: str, counts: str) -> None:
        if self.is_terminal:
            text = f"{self.label}{name} {counts}".strip()[:78]
            print(f"{CLEAR}{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leaves no trace."""
        if self.is_terminal:
            print(CLEAR, end="", file=sys.stderr, flush=True)
