"""The generated parts of the documentation: markdown made from the declarations, never written by hand."""

from collections.abc import Iterable, Sequence

from pipeline.catalog.tables import SPECS
from pipeline.core.errors import EXIT_CODES
from pipeline.gold.transition_audit.precedence import CERTAINTY, PRECEDENCE
from pipeline.kafka.facts import read_fact_table as rows_of
from pipeline.kafka.layout.paths import locate_path
from pipeline.kafka.layout.wrapper import wrappers_by_name
from schemas.ops import run
from schemas.spec import LAYERS, TableSpec

LAYOUTS = (
    "prod/broker-3/controller.log",
    "prod/kafka-3.example.net/logs/state-change.log.2026-11-21-08.gz",
    "prod/3/controller.log",
    "my-cluster-kafka-0/controller.log",
    "broker-3/server.log.1.zst",
    "kafka-3-state-change.log",
    "controller.log",
)


def generated_blocks() -> dict[str, str]:
    """Every generated block by the name of its markers."""
    return {
        "tables": tables_table((*SPECS, run.SPEC)),
        "exit-codes": exit_codes_table(),
        "verdicts": verdicts_table(),
        "layouts": layouts_table(),
        "envelopes": envelopes_table(),
        "wrappers": wrappers_table(),
    }


def fill_blocks(text: str, by_name: dict[str, str]) -> str:
    """The text with each block that it has markers for, `<!-- NAME:start -->` and `<!-- NAME:end -->`, put between
    them. ValueError: one of the two is missing."""
    for name, block in by_name.items():
        start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
        if start not in text and end not in text:
            continue
        before, _, rest = text.partition(start)
        _, found_end, after = rest.partition(end)
        if not found_end:
            raise ValueError(f"no markers {start} and {end}, one after the other")
        text = f"{before}{start}\n{block}\n{end}{after}"
    return text


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def tables_table(specs: Iterable[TableSpec]) -> str:
    ordered = sorted(specs, key=lambda spec: LAYERS.index(spec.layer))
    rows = ((f"`{spec.name}`", spec.grain, ", ".join(f"`{one}`" for one in spec.key)) for spec in ordered)
    return markdown_table(("table", "one row is", "key (with `cluster_id`)"), rows)


def exit_codes_table() -> str:
    rows = ((str(one.code), one.meaning, "yes" if one.is_published else "no") for one in EXIT_CODES)
    return markdown_table(("code", "meaning", "new tables published"), rows)


def verdicts_table() -> str:
    """The verdicts in the order in which they are tried."""
    rows = (
        (str(place), f"`{verdict}`", words, CERTAINTY.get(verdict, "proved"))
        for place, (verdict, words) in enumerate(PRECEDENCE, 1)
    )
    return markdown_table(("", "verdict", "when", "certainty"), rows)


def layouts_table() -> str:
    """Paths below --logs with what is read from them: computed, so it is what the job will do."""
    rows = []
    for path in LAYOUTS:
        said = locate_path(path)
        node = "" if said.node is None else str(said.node)
        rows.append((f"`{path}`", said.cluster or "", node, said.log or ""))
    return markdown_table(("path below --logs", "cluster", "node", "log"), rows)


def envelopes_table() -> str:
    """Forms of one record, in the order in which they are tried."""
    patterns = [
        (f"`{row['name']}`", f"`{row['pattern']}`", row["source"]) for row in rows_of("layout/envelopes.tsv")
    ]
    objects = [
        (f"`{row['name']}`", f"JSON: `{row['time']}`, `{row['logger']}`, `{row['message']}`", row["source"])
        for row in rows_of("layout/json_layouts.tsv")
    ]
    return markdown_table(("name", "record", "seen in"), [*patterns, *objects])


def wrappers_table() -> str:
    return markdown_table(
        ("name", "stands around each line"),
        [(f"`{one.name}`", one.source) for one in wrappers_by_name().values()],
    )
