"""What ran and what it published: the newest row names the version of every table that readers see."""

from schemas.spec import CLUSTER_ID, TableSpec, field, required
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP, map_of

OUTCOMES = ("published", "nothing_new", "gate_failed")

SPEC = TableSpec(
    name="ops.run",
    grain="One run of a job on one cluster; writing the row is the commit.",
    key=("run_id",),
    fields=(
        CLUSTER_ID,
        required("run_id", STRING, "Name of the run."),
        required("run_seq", LONG, "Number of the run in this cluster, from 1; the highest is the newest."),
        required("job", STRING, "Job that ran."),
        required("started_at", TIMESTAMP, "Start, UTC."),
        required("ended_at", TIMESTAMP, "End, UTC."),
        required("outcome", STRING, "What came of it.", accepted=OUTCOMES),
        required("format_version", INTEGER, "Version of the warehouse's layout."),
        required("product_version", STRING, "Version of this product."),
        required("settings_fingerprint", STRING, "SHA-256 of the settings that decide results."),
        required("knowledge_fingerprint", STRING, "SHA-256 of templates, machines and rules."),
        required("settings", STRING, "The settings that decide results, JSON."),
        required("table_versions", map_of(STRING, LONG), "Published Delta version by table."),
        required("counts", map_of(STRING, LONG), "What was read, understood, written."),
        field(
            "table_rows", map_of(STRING, LONG), "Rows by table, as Delta's log counts them at that version."
        ),
        field("table_files", map_of(STRING, LONG), "Data files by table at that version."),
        field("table_bytes", map_of(STRING, LONG), "Bytes of these files by table."),
        field(
            "watermarks",
            map_of(STRING, STRING),
            "By table what it was built from: rows through a load_seq, and a SHA-256 of code and settings; empty where "
            "it is to be built anew. templates, forms: by what records were understood and files recognised.",
        ),
        field("sentence", STRING, "Why nothing was published."),
    ),
)
