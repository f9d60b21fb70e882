"""What a run refuses to begin with."""

from collections import Counter

from jobs.engine.intake.file_probe import EMPTY, OF_SERVER_LOG
from jobs.engine.run.unread import States, excerpt_files, unread_files
from jobs.settings.model import Settings
from jobs.text import format_count
from pipeline.bronze.planning import NO_NAME, ONE_RECORD
from pipeline.core.errors import NothingToRead, SettingsError
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import ReadableTables
from pipeline.store.runs.published import Published
from schemas.bronze import source_file

# What is said of a file that waits until there is more in it.
WAITING = {EMPTY: "empty", NO_NAME: "just begun", ONE_RECORD: "just begun"}


def require_same_zones(
    tables: ReadableTables, cluster_id: str, settings: Settings, published: Published
) -> None:
    """SettingsError: rows that are stored keep the zone they were read in; another needs them read again."""
    if published.settings_fingerprint in (None, settings.fingerprint(cluster_id)):
        return
    if not tables.has_rows(source_file.SPEC):
        return
    read = tables.read(source_file.SPEC, None, ("node_id", "zone"))
    for row in frame_of(read).unique().sort("node_id", "zone").to_dicts():
        wanted = settings.zone_of(cluster_id, row["node_id"])
        if wanted != row["zone"]:
            raise SettingsError(
                expected=f"zone {row['zone']}, in which the logs of node {row['node_id']} were read",
                found=f"zone {wanted}",
                todo="keep the zone, or add --reparse, which places the stored records anew",
            )


def require_kafka(cluster_id: str, states: States) -> None:
    """NothingToRead: nothing was ever read, and of the files found nothing can be. Said before anything is written."""
    counts = Counter(WAITING.get(said or "", state) for state, said in states.values())
    found = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in sorted(counts.items()))
    waiting = [(path, said) for path, (state, said) in states.items() if state == "waiting"]
    told = [*unread_files(states), *excerpt_files(states), *waiting]
    first = f"; first {told[0][0]}: {told[0][1]}" if told else ""
    has_server_log = any(said in OF_SERVER_LOG for _, said in states.values())
    server = "; a server.log alone needs --server-log" if has_server_log else ""
    raise NothingToRead(
        expected=f"a controller.log or state-change.log of Kafka for cluster {cluster_id}",
        found=f"{format_count(len(states), 'file')}, none to read ({found or 'none'}){first}",
        todo=f"name the brokers' log folder{server}",
    )
