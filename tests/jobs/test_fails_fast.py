"""What cannot be answered is said in one line, before Spark starts and before a table is read."""

from pathlib import Path

import pytest

from jobs import cli, forget
from jobs.engine.run import on_clusters
from pipeline.store.readers import readable_warehouse
from pipeline.views.reading.answers import Answers
from tests.golden import CLUSTER

NO_CLUSTER = "found clusters: none; check --warehouse and --cluster"
NO_FOLDER = "found clusters: none; there is no such folder: check --warehouse, or"
FAULTS = (
    ("findings --warehouse {none}", 4, NO_FOLDER),
    ("status --warehouse {empty}", 4, NO_CLUSTER),
    ("verify --warehouse {none}", 4, NO_FOLDER),
    ("ask stuck --warehouse {none}", 4, NO_FOLDER),
    ("terms --warehouse {golden} --cluster prod", 4, f"found clusters: {CLUSTER}; check"),
    ("show banana --warehouse {golden}", 4, "show: Expected a finding such as F1, or its finding_id"),
    ("term abc --warehouse {golden}", 4, "term: Expected a term: a controller epoch such as 7"),
    ("partition nonsense", 2, "expected TOPIC-N such as orders-0, found 'nonsense' (--help says what it takes)"),
    ("ask nonsense", 2, "kafka-controller-audit ask: error: argument QUESTION: invalid choice: 'nonsense'"),
    ("ask why-leaderless", 2, "ask why-leaderless: error: the following arguments are required: TOPIC-N"),
    ("shwo", 2, "kafka-controller-audit: error: argument COMMAND: there is no 'shwo'; did you mean show?"),
    ("incident {none}", 4, "incident: Expected a log folder, file or glob at "),
    ("incident {empty}", 4, "found no file at all"),
    ("maintain --warehouse {none}", 4, NO_FOLDER),
    ("maintain --warehouse {golden} --cluster prod", 4, f"found clusters: {CLUSTER}; check"),
    ("migrate --warehouse {empty}", 4, NO_CLUSTER),
    ("forget --yes --cluster c --warehouse {golden}", 4, "forget: Expected tables of cluster c in "),
    ("nightly", 2, "nightly: Expected --logs with the folder of Kafka's logs, found no --logs"),
    ("nightly --logs {none}", 4, "nightly: Expected a log folder, file or glob at "),
    ("nightly --logs {empty}", 4, "found no file at all"),
    ("nightly --logs {empty} --wait soon", 2, "expected a number of seconds such as 600, found 'soon'"),
    ("explain --file {none} --line 3", 4, "explain: Expected to read "),
)  # fmt: skip


@pytest.mark.parametrize(("command", "code", "said"), FAULTS)
def test_what_is_wrong_is_said_at_once(
    command: str,
    code: int,
    said: str,
    golden: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(readable_warehouse, "is_configured", lambda: False)
    monkeypatch.setattr(Answers, "rows", None)
    for module in (on_clusters, forget):
        monkeypatch.setattr(module, "late_spark", None)
    (golden.parent / "empty").mkdir()
    places = {"golden": golden, "none": golden.parent / "none", "empty": golden.parent / "empty"}
    try:
        ended = cli.main(command.format_map(places).split())
    except SystemExit as problem:
        ended = int(problem.code or 0)
    printed = capsys.readouterr()
    assert (ended, printed.out, len(printed.err.splitlines())) == (code, "", 1)
    assert said in printed.err
    assert not places["none"].exists()
