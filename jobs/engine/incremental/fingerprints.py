"""Watermarks: what each table was built from, and which are to be built anew for the rows, settings and code of now."""

import hashlib
from collections.abc import Collection, Mapping

from jobs.settings.model import Settings
from pipeline.catalog.knowledge import TEMPLATES, forms_fingerprint, knowledge_fingerprint
from pipeline.catalog.tables import BY_SHORT_NAME, LIMITS, SETTINGS, TABLES, Refresh, stands_on
from schemas.bronze import file_sighting, metadata_part

# By what records were understood and files recognised: beside the watermarks of tables, under names of no table.
TEMPLATES_READ, FORMS_READ = "templates", "forms"
# What is said of files that cannot be read, gaps and what follows from them, goes by more than what was read.
ABOUT_FILES = frozenset(
    one.spec.name
    for one in TABLES
    if one.refresh is Refresh.FULL and file_sighting.SPEC.table in stands_on(one.spec.table)
)


def table_watermark(
    name: str, load_seq: int, settings: Settings, cluster_id: str, metadata_seq: int = 0
) -> str:
    """What a table was built from: rows through load_seq, knowledge, and settings if it stands on them: those of
    findings are asked of few tables, so that a finding that is silenced builds no others anew. metadata_seq: the last
    load of copies of the metadata log, for tables that stand on it."""
    under = stands_on(name.split(".")[1])
    told = under & frozenset(SETTINGS)
    decided = settings.fingerprint(cluster_id, with_findings=LIMITS in told) if told else ""
    text = f"{name}|{decided}|{knowledge_fingerprint()}"
    text += f"|{metadata_seq}" if metadata_seq and metadata_part.SPEC.table in under else ""
    return f"{load_seq} {hashlib.sha256(text.encode()).hexdigest()}"


def templates_read() -> str:
    """The templates of this product."""
    return knowledge_fingerprint(TEMPLATES)


def forms_read(settings: Settings, cluster_id: str) -> str:
    """By what files are recognised: forms of lines and paths, of the product and of the settings."""
    cluster = settings.cluster(cluster_id)
    brokers = {node: one.envelope for node, one in cluster.brokers.items() if one.envelope}
    by_path = [(one.path, one.envelope) for one in settings.path_envelopes]
    told = (settings.path_patterns, by_path, cluster.envelope, sorted(brokers.items()), forms_fingerprint())
    return hashlib.sha256(repr(told).encode()).hexdigest()


def fresh_tables(
    watermarks: Mapping[str, str], load_seq: int, settings: Settings, cluster_id: str, metadata_seq: int = 0
) -> frozenset[str]:
    """Names of the tables that a run which published these watermarks left as they would be built now."""
    built = (one.spec.name for one in TABLES if one.build is not None)
    return frozenset(
        name
        for name in built
        if watermarks.get(name) == table_watermark(name, load_seq, settings, cluster_id, metadata_seq)
    )


def tables_on_fresh_inputs(built: Collection[str], fresh: Collection[str]) -> frozenset[str]:
    """Of tables that were just built those that stand on such and on fresh ones alone: another is built anew soon, and
    they after it."""
    known = {*built, *fresh}
    under = {name: [BY_SHORT_NAME.get(one) for one in stands_on(name.split(".")[1])] for name in built}
    return frozenset(
        name
        for name, tables in under.items()
        if all(one is None or one.build is None or one.spec.name in known for one in tables)
    )
