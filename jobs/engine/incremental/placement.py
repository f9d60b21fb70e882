"""Where the work of a night is done: in the driver where it is little, else on the executors."""

from collections.abc import Iterable
from datetime import timedelta
from enum import Enum

from polars import col

from jobs.settings.model import Settings
from pipeline.core.files import Listed
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import StoredTables
from schemas.bronze import source_file

A_DAY = timedelta(days=1)

# What a compressed log unpacks to, about: lines of a controller repeat themselves.
UNPACKED = 10
COMPRESSED = (".gz", ".zst")


class Placement(Enum):
    """DRIVER: the driver reads the logs and holds their records. EXECUTORS: tasks of Spark read them into bronze, and
    run the kernels of single records and those of topics; what follows from a cluster is built in the driver in
    both."""

    DRIVER = "driver"
    EXECUTORS = "executors"


def placement_of(settings: Settings, new_bytes: int) -> Placement:
    """As the settings say, or by the size of what is new, unpacked."""
    if settings.placement != "auto":
        return Placement(settings.placement)
    return Placement.DRIVER if new_bytes <= settings.limits.driver_bytes else Placement.EXECUTORS


def shards_of(settings: Settings, new_bytes: int, stored: StoredTables) -> int:
    """Into how many parts of topics the tables of a run on executors go, by what is new and what it looks back on; 0:
    the driver builds them."""
    if placement_of(settings, new_bytes) is Placement.DRIVER:
        return 0
    return max(1, -(-(new_bytes + lookback_bytes(stored)) // settings.limits.shard_bytes))


def lookback_bytes(stored: StoredTables) -> int:
    """Bytes of the records of the last day that is stored, and of the day before it, which tables look back on."""
    if not stored.has_rows(source_file.SPEC):
        return 0
    segments = frame_of(stored.read(source_file.SPEC, None, ("last_logged_at", "record_bytes")))
    is_late = col("last_logged_at") >= col("last_logged_at").max().dt.truncate("1d") - A_DAY
    return int(segments.filter(is_late)["record_bytes"].sum())


def unpacked_bytes(files: Iterable[Listed]) -> int:
    """About how much there is to read in these files."""
    return sum(one.size_bytes * (UNPACKED if one.path.endswith(COMPRESSED) else 1) for one in files)
