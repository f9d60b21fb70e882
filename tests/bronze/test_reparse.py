"""Records understood anew from their stored bytes are what reading the files gives."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from pipeline.bronze.log_record.on_executors import reparse_batches
from pipeline.kafka.reading.reader import ARROW_SCHEMA
from tests.lab import records, zone_of
from tests.tables import log_table


@pytest.mark.parametrize(
    "name",
    [
        "corpus/lab/2.2.2-zk-stock",
        "corpus/lab/4.0.0-kraft-combined-stock",
        "corpus/public/0.8.2.1-*",
        "corpus/public/2.8.0-*",
    ],
)
def test_real_logs(shared: Path, name: str) -> None:
    (cluster,) = shared.glob(name)
    table = records(cluster)
    stored = forgotten(table).append_column("envelope", pa.repeat(pa.scalar("stock"), len(table)))
    stored = stored.append_column("zone", pa.repeat(pa.scalar(zone_of(cluster)), len(table)))
    stored = stored.append_column("file_log", table["log"])
    stored = stored.append_column("is_shared", of_several(table))
    found = pa.Table.from_batches(reparse_batches(stored.to_batches(max_chunksize=10_000)), ARROW_SCHEMA)
    order = [("load_seq", "ascending"), ("byte_offset", "ascending")]
    assert found.sort_by(order).equals(table.sort_by(order))


SERVER = """
[2026-11-26 03:38:06,423] INFO Kafka version: 4.4.0 (org.apache.kafka.common.utils.internals.AppInfoParser)
[2026-11-26 03:38:07,100] INFO Something else (org.example.Other)
"""


@pytest.mark.parametrize(("envelope", "zone"), [("stock", "Europe/Berlin"), ("stock_zone", "UTC")])
def test_records_without_bytes_are_placed_too(envelope: str, zone: str) -> None:
    """In the zone of now, if they cannot have printed another one."""
    read = log_table({(1, "server"): SERVER}).slice(1)
    assert (read["not_understood_reason"].to_pylist(), read["raw"].to_pylist()) == (["other_logger"], [None])
    stored = read
    for name, value in (("envelope", envelope), ("zone", "Europe/Berlin"), ("file_log", "server")):
        stored = stored.append_column(name, pa.array([value]))
    stored = stored.append_column("is_shared", pa.array([False]))
    found = pa.Table.from_batches(reparse_batches(stored.to_batches()), ARROW_SCHEMA)
    assert found.equals(log_table({(1, "server"): SERVER}, zone).slice(1))


def of_several(table: pa.Table) -> pa.Array:
    """True for the records of files that several nodes wrote."""
    nodes = table.group_by("load_seq").aggregate([("node_id", "count_distinct")])
    shared = nodes.filter(pc.greater(nodes["node_id_count_distinct"], 1))["load_seq"]
    return pc.is_in(table["load_seq"], shared.combine_chunks())


def forgotten(table: pa.Table) -> pa.Table:
    """The table with nothing understood: what an older product may have left."""
    for name in ("event", "template", "topic", "leader", "fields", "level", "logged_at", "logged_local"):
        place = table.schema.get_field_index(name)
        table = table.set_column(
            place, table.schema.field(name), pa.nulls(len(table), table.schema.field(name).type)
        )
    return table
