"""What a look at all tables of a cluster found."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pipeline.store.runs.damage import Damage
from pipeline.store.tables.stated import Contents


@dataclass
class TableState:
    """One table. version: that was published; newest: that was committed. stated, found: contents of the version, as
    the run stated them and as the table's log names them; rows_read: of its data files. duplicate_keys: rows more than
    there are keys. None: not stated, or not to be read."""

    table: str
    version: int | None = None
    newest: int | None = None
    stated: Contents | None = None
    found: Contents | None = None
    rows_read: int | None = None
    duplicate_keys: int | None = None
    summed_bytes: int = 0
    unsummed_files: int = 0
    damages: list[Damage] = field(default_factory=list)


@dataclass(frozen=True)
class SegmentsState:
    """Segments of log files whose records were held against them. expired_segments: have no records any more, as they
    are older than is kept; lost_segments: repair found them lost."""

    files: int = 0
    segments: int = 0
    records: int = 0
    size_bytes: int = 0
    expired_segments: int = 0
    lost_segments: int = 0
    lost_records: int = 0


@dataclass(frozen=True)
class Note:
    """What is no damage: orphans, dead_commits, locked, torn_run, no_last_run, put_aside, counts_not_stated, no_sums,
    not_compared, not_looked_at."""

    kind: str
    sentence: str
    count: int = 0
    size_bytes: int = 0


@dataclass(frozen=True)
class Examination:
    """One cluster. damages: those of its tables, and what is of none. segments: None: they could not be held against
    their records."""

    cluster: str
    run_id: str | None
    run_seq: int
    tables: tuple[TableState, ...]
    segments: SegmentsState | None
    others: tuple[Damage, ...]
    notes: tuple[Note, ...]

    @property
    def damages(self) -> tuple[Damage, ...]:
        return (*self.others, *(damage for one in self.tables for damage in one.damages))

    def total(self) -> Contents:
        """Of what the tables' logs name."""
        return total_contents(one.found for one in self.tables if one.found is not None)


def total_contents(contents: Iterable[Contents]) -> Contents:
    them = list(contents)
    return Contents(
        sum(one.rows for one in them), sum(one.files for one in them), sum(one.size_bytes for one in them)
    )
