"""What ran and what it published: the newest row names the version of every table that readers see."""

from schemas.spec import CLUSTER_ID, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP, map_of

OUTCOMES = ("published", "nothing_new", "gate_failed")

SPEC = TableSpec(
    name="ops.run",
    grain="One run of a job on one cluster; writing the row is the commit.",
    key=("run_id",),
    fields=(
        CLUSTER_ID,
        required_field("run_id", STRING, "Name of the run."),
        required_field(
            "run_seq", LONG, "Number of the run in this cluster, from 1; the highest is the newest."
        ),
        required_field("job", STRING, "Job that ran."),
        required_field("started_at", TIMESTAMP, "Start, UTC."),
        required_field("ended_at", TIMESTAMP, "End, UTC."),
        required_field("outcome", STRING, "What came of it.", accepted=OUTCOMES),
        required_field("format_version", INTEGER, "Version of the warehouse's layout."),
        required_field("product_version", STRING, "Version of this product."),
        required_field("settings_fingerprint", STRING, "SHA-256 of the settings that decide results."),
        required_field("knowledge_fingerprint", STRING, "SHA-256 of templates, machines and rules."),
        required_field("settings", STRING, "The settings that decide results, JSON."),
        required_field("table_versions", map_of(STRING, LONG), "Published Delta version by table."),
        required_field("counts", map_of(STRING, LONG), "What was read, understood, written."),
        nullable_field(
            "table_rows", map_of(STRING, LONG), "Rows by table, as Delta's log counts them at that version."
        ),
        nullable_field("table_files", map_of(STRING, LONG), "Data files by table at that version."),
        nullable_field("table_bytes", map_of(STRING, LONG), "Bytes of these files by table."),
        nullable_field(
            "watermarks",
            map_of(STRING, STRING),
            "By table what it was built from: rows through a load_seq, and a SHA-256 of code and settings; empty where "
            "it is to be built anew. templates, forms: by what records were understood and files recognised.",
        ),
        nullable_field("sentence", STRING, "Why nothing was published."),
    ),
)
