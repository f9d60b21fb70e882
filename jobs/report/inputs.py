"""What a page rests on: the files that were read with their hashes, the zone of their times, masking, the version."""

from collections.abc import Sequence
from datetime import UTC, datetime

import polars as pl
from polars import col

from jobs.report.elements import Markup, html_element
from jobs.report.table import MOST_ROWS, Cell, PageTable, TableLine, number_cell, text_cell, time_cell
from jobs.report.told import ClusterTold
from jobs.text import human_bytes, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.core.product import product_version


def inputs_page_table(told: ClusterTold) -> PageTable:
    """consumed_hash of bronze.source_file: of the first consumed_bytes of the uncompressed file."""
    newest = told.answers.segments.sort("load_seq", "start_offset").group_by("file_id", maintain_order=True)
    files = newest.agg(
        col("path", "log", "node_id", "zone", "consumed_bytes", "consumed_hash").last(),
        record_count=col("record_count").sum(),
        understood_count=col("understood_count").sum(),
        first_at=col("first_logged_at").min(),
        last_at=col("last_logged_at").max(),
    ).sort("path", "file_id")
    lines = [
        TableLine(
            (
                text_cell(shorten_line(one["path"], 400), "place"),
                text_cell(one["log"]),
                number_cell(one["node_id"]),
                Cell(human_bytes(one["consumed_bytes"]), one["consumed_bytes"], "number"),
                number_cell(one["record_count"]),
                number_cell(one["understood_count"]),
                time_cell(one["first_at"]),
                time_cell(one["last_at"]),
                text_cell(one["zone"]),
                text_cell(one["consumed_hash"], "hash"),
            ),
            one["first_at"],
            one["last_at"],
        )
        for one in files.head(MOST_ROWS).to_dicts()
    ]
    head = ("file", "log", "node", "read", "records", "understood", "first, UTC", "last", "zone")
    return PageTable(
        "inputs",
        "What was read",
        (*head, "SHA-256"),
        lines,
        notes=[
            f"Masking: {told.masking}.",
            f"Times in the logs that name no zone were read as {zone_names_text(files)}; times on this page are UTC.",
            "SHA-256: of what was read of the file, uncompressed.",
        ],
        all_count=files.height,
        more="bronze.source_file",
        empty="No file was read.",
    )


def zone_names_text(files: pl.DataFrame) -> str:
    return ", ".join(files["zone"].drop_nulls().unique().sort()) or "not known"


def masking_text(stated: object) -> str:
    """By what settings state of masking; its key is stored nowhere."""
    if not isinstance(stated, dict) or not (stated.get("kinds") or stated.get("patterns")):
        return "off"
    patterns: Sequence[object] = stated.get("patterns") or ()
    kinds = ", ".join(map(str, stated.get("kinds") or ()))
    return f"on ({kinds or 'no kinds'}; {len(patterns)} patterns)"


def page_footer(made_at: datetime) -> Markup:
    made = f"Made by kafka-controller-audit {product_version()} at {day_clock(made_at.astimezone(UTC))} UTC."
    words = (
        ("proved", "lines say so"),
        ("inferred", "it follows from lines, but none says it itself"),
        ("undetermined", "lines that would decide it are missing"),
    )
    said = (part for word, meaning in words for part in (html_element("strong", word), f": {meaning}. "))
    return html_element(
        "footer",
        html_element("p", html_element("a", "To the top", href="#top")),
        html_element("p", "Certainty: ", *said),
        html_element("p", f"{made} This file loads nothing and sends nothing. It holds lines of your logs."),
    )
