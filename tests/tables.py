"""Records for tests, from log lines by the product's own reader."""

from io import BytesIO

import pyarrow as pa

from pipeline.kafka.reading.reader import ARROW_SCHEMA, RangeRequest, read_segment


def log_table(
    logs: dict[tuple[int, str], str], zone: str = "UTC", cluster_id: str = "c", of: str = ""
) -> pa.Table:
    """bronze.log_record of log texts by (node_id, log); the file_id is '<node_id>-<log>', load_seq counts from 1. of: what
    the file_ids begin with."""
    batches = []
    for load_seq, ((node_id, log), text) in enumerate(logs.items(), 1):
        content = "".join(f"{line.strip()}\n" for line in text.strip().splitlines()).encode()
        request = RangeRequest(
            cluster_id=cluster_id,
            node_id=node_id,
            log=log,
            file_id=f"{of}{node_id}-{log}",
            load_seq=load_seq,
            zone=zone,
            envelope="stock",
            start=0,
            end=len(content),
            limit=len(content),
            owns_preamble=True,
        )
        batches += list(read_segment(BytesIO(content), request))
    return pa.Table.from_batches(batches, schema=ARROW_SCHEMA)
