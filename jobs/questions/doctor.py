"""Whether a warehouse holds what its runs stated: versions, counts, files, keys, bytes of the logs; writes nothing."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from jobs.argument_types import on_format
from jobs.engine.run.chosen_clusters import chosen_clusters
from jobs.engine.run.outcome import report_problem
from jobs.layout import WIDTH_HELP
from jobs.parser import Parser
from jobs.questions.doctor_text import damage_verdict, examinations_text, mending_commands, unmended_tables
from pipeline.catalog.tables import SPECS
from pipeline.core.errors import EnvironmentProblem, PipelineError, WarehouseDamaged
from pipeline.store.examination.answer import Examination
from pipeline.store.examination.examined import examine_cluster
from pipeline.store.readers.readable_warehouse import DirectWarehouse, readable_directly
from pipeline.views.reading.rows import Row


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES: that of WarehouseDamaged where something is damaged."""
    arguments = Parser(prog="kafka-controller-audit doctor", description=__doc__, epilog=WIDTH_HELP)
    arguments.add_argument(
        "--warehouse", default="warehouse", metavar="URI", help="folder of the Delta tables (warehouse)"
    )
    arguments.add_argument("--cluster", metavar="NAME", help="one cluster (all of the warehouse)")
    on_format(arguments)
    given = arguments.parse_args(argv)
    try:
        warehouse = within_reach(given.warehouse)
        names = chosen_clusters(warehouse.clusters(), given.warehouse, given.cluster)
        specs = {one.name: one for one in SPECS}
        found = [examine_cluster(warehouse, name, specs) for name in names]
    except PipelineError as problem:
        return report_problem("doctor", problem)
    is_text = given.format == "text"
    print(
        examinations_text(found, given.warehouse) if is_text else examinations_json(found, given.warehouse),
        flush=True,
    )
    return WarehouseDamaged.exit_code if any(one.damages for one in found) else 0


def within_reach(uri: str) -> DirectWarehouse:
    """EnvironmentProblem: only Spark reads it."""
    found = readable_directly(uri)
    if found is None:
        raise EnvironmentProblem(
            expected="a warehouse on a disk of this machine or in an object store",
            found=f"{uri}, which only Spark reads",
            todo="a run compares the versions of its tables as it begins; to look at all, copy it to a disk",
        )
    return found


def examinations_json(found: Sequence[Examination], warehouse: str) -> str:
    return json.dumps({"clusters": [examination_row(one, warehouse) for one in found]}, indent=1)


def examination_row(one: Examination, warehouse: str) -> Row:
    """mended_by: commands; not_mended: tables that these do not mend."""
    told = {
        "verdict": damage_verdict(one),
        "mended_by": [" ".join(words) for words in mending_commands(one, warehouse)],
    }
    told["not_mended"] = unmended_tables(one)
    return {"cluster": one.cluster, **told, **asdict(one)}


if __name__ == "__main__":
    sys.exit(main())
