"""What nights bring of a lab cluster."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from pipeline.core.frames import frame_of
from tests.incremental.cutting import Segments, by_lines, wiped
from tests.incremental.night_labs import WIPING, folder
from tests.incremental.nights import around_midnights, segments_of, stretched
from tests.lab import READ, records

MIDNIGHTS = 4  # of the quick run


@dataclass(frozen=True)
class Nights:
    """What nights bring of a lab cluster: see segments_of. times: how much longer each second is, 0: around midnights.
    by_lines: so many nights of as many lines, in the time in which they were written; lives: 2: of a cluster that is
    wiped."""

    late: tuple[int, ...] = ()
    seed: int = 0
    how: str = "some"
    days_a_night: int = 1
    hour: int = 0
    times: int = 0
    has_server_log: bool = False
    has_moves: bool = True  # state-change.log
    midnights: int = MIDNIGHTS
    minute: int = 0
    by_lines: int = 0
    lives: int = 1

    def of(self, lines: pa.Table) -> Segments:
        if self.by_lines:
            rows = frame_of(lines)
            return by_lines(wiped(rows, WIPING) if self.lives > 1 else rows, self.by_lines)
        rows = (
            stretched(lines, self.times)
            if self.times
            else around_midnights(lines, self.midnights, self.minute)
        )
        return segments_of(rows, self.late, self.seed, self.how, self.days_a_night, self.hour, self.minute)

    def __str__(self) -> str:
        if self.by_lines:
            return (
                f"{self.by_lines} by lines, {self.lives} lives{', server.log' if self.has_server_log else ''}"
            )
        late = f"{'-'.join(map(str, self.late))} late {self.how}" if self.late else "in time"
        read = f"{', server.log' if self.has_server_log else ''}{'' if self.has_moves else ', no moves'}"
        return f"{late}, {self.days_a_night} d at {self.hour} h {self.minute}, x{self.times}, seed {self.seed}{read}"

    def lines(self, shared: Path, name: str) -> pa.Table:
        """Those that these nights bring of a lab cluster."""
        left_out = set() if self.has_moves else {"state-change"}
        logs = {*READ, *(["server"] if self.has_server_log else [])} - left_out
        return records(folder(shared, name), tuple(sorted(logs)))
