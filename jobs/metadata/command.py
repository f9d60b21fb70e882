"""`kafka-controller-audit metadata [PATH...]`: the records of KRaft's metadata log in plain words, one a line."""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from jobs.argument_types import on_format
from jobs.engine.intake.discovery import candidates_by_cluster
from jobs.engine.run.outcome import report_problem
from jobs.incident.logs import Logs
from jobs.incident.progress import ProgressLine
from jobs.layout import WIDTH_HELP
from jobs.metadata.files import MetadataCopies, read_metadata_copies, split_candidates
from jobs.metadata.rows import RecordFilter, RecordRow, record_rows
from jobs.moments import asked_moment, parse_moment
from jobs.parser import Parser
from jobs.settings.load import load_settings
from jobs.terminal import discard_stdout, show_lines
from jobs.text import printable_line
from pipeline.core.clocks import day_clock
from pipeline.core.errors import NothingToRead, PipelineError
from pipeline.model.metadata.joining import join_copies

JOB = "metadata"
RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    given = metadata_parser().parse_args(argv)
    try:
        copies = copies_below(given)
        rows = record_rows(copies, asked_filter(given, copies))
        if given.format == "json":
            print(json.dumps([one.document() for one in rows], indent=2), flush=True)
        else:
            show_lines([*metadata_lines(copies, rows)])
    except BrokenPipeError:
        return discard_stdout()
    except PipelineError as problem:
        return report_problem(JOB, problem)
    return 0


def metadata_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=f"kafka-controller-audit {JOB}",
        description="What the controllers of a KRaft cluster decided, record by record: __cluster_metadata-0 of any "
        "node, or what kafka-dump-log --cluster-metadata-decoder prints.",
        epilog=WIDTH_HELP,
    )
    parser.add_argument(
        "paths", nargs="*", default=["."], metavar="PATH", help="folders, files, archives; - is stdin"
    )
    parser.add_argument("--topic", metavar="NAME", help="records about this topic")
    parser.add_argument("--partition", type=int, metavar="N", help="about this partition of it")
    parser.add_argument("--broker", type=int, metavar="N", help="about this broker")
    parser.add_argument(
        "--type", metavar="TYPE", help="of this type, as PARTITION_CHANGE_RECORD or partition_change"
    )
    parser.add_argument(
        "--since", type=parse_moment, metavar="TIME", help="from it on: 09:00, -10m, an ISO time"
    )
    parser.add_argument("--until", type=parse_moment, metavar="TIME", help="before it")
    parser.add_argument(
        "--offset", type=parse_offset_range, metavar="A-B", help="of these offsets, both included"
    )
    parser.add_argument(
        "--conf", type=Path, metavar="FILE", help="settings (conf/kafka-controller-audit.yaml)"
    )
    on_format(parser)
    return parser


def parse_offset_range(text: str) -> tuple[int, int]:
    """`845` or `845-900` as first and last."""
    found = RANGE.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected an offset or A-B, found {printable_line(text[:40])!r}")
    return int(found[1]), int(found[2] or found[1])


def copies_below(given: argparse.Namespace) -> MetadataCopies:
    """NothingToRead: there is no copy of the metadata log."""
    settings = load_settings(given.conf)
    with TemporaryDirectory(prefix=f"{JOB}-") as folder:
        logs = Logs(given.paths, settings, Path(folder), ProgressLine(is_terminal=sys.stderr.isatty()))
        found = candidates_by_cluster(given.paths, settings, "metadata", logs.below)
        splits = [split_candidates(some, given.paths) for some in found.values()]
        copies = read_metadata_copies([one for split in splits for one in split.metadata], settings)
    for path, why in [*copies.refused, *(one for split in splits for one in split.unread)]:
        print(f"{JOB}: {printable_line(path)}: {why}", file=sys.stderr)
    if not copies.files:
        raise NothingToRead(
            expected=f"a copy of __cluster_metadata-0, or a dump of it, below {', '.join(given.paths)}",
            found="none",
            todo="copy the folder of any node as docs/recipes/getting-metadata-logs.md shows",
        )
    return copies


def asked_filter(given: argparse.Namespace, copies: MetadataCopies) -> RecordFilter:
    joined = join_copies(copies.nodes)
    last_ms = int(joined.marks["at_ms"].max()) if len(joined.marks) else 0
    last = datetime.fromtimestamp(last_ms / 1000, UTC)
    since, until = (asked_moment(one, last) for one in (given.since, given.until))
    kind = None if given.type is None else given.type.upper().removesuffix("_RECORD")
    return RecordFilter(given.topic, given.partition, given.broker, kind, since, until, given.offset)


def metadata_lines(copies: MetadataCopies, rows: Sequence[RecordRow]) -> Iterator[str]:
    for path, node_id, part in copies.files:
        node = f" of node {node_id}" if node_id is not None else ""
        count = len(part.records) + len(part.no_ops)
        yield f"{part.form}{node}  {path}  {count:,} records, {len(part.no_ops):,} NoOps among them"
    yield from copies.problems
    yield ""
    for one in rows:
        at = day_clock(datetime.fromtimestamp(one.record.at_ms / 1000, UTC))
        mark = "  (void: a later epoch took its place)" if one.is_void else ""
        offset = "snapshot" if one.is_in_snapshot else f"{one.record.offset}"
        yield printable_line(f"{offset:>8}  epoch {one.record.epoch}  {at}Z  {one.sentence}{mark}")
