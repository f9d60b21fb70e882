"""Releases by node and time: every cluster of the corpus, upgrades inside a file, conf against lines."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.core.frames import frame_of
from pipeline.model.settings import ReleaseSetting
from pipeline.silver import wording_seen
from pipeline.silver.release_span import deciding_sights, seen_once, sights_with_release_bits
from tests.kafka.reading import read_table
from tests.lab import records
from tests.silver.release_spans import spans

QUICK = (
    "lab/0.11.0.3-zk-stock",
    "lab/2.2.2-zk-stock",
    "lab/3.9.2-kraft-migration-stock",
    "lab/4.3.1-kraft-separate-stock",
    "public/0.10.0.0-Aminoid",
    "public/2.5.0-Parasmani300",
)


def truth(cluster: Path) -> str:
    """The release that a cluster ran: lab runs say it, folders of public ones begin with it."""
    run = cluster / "truth" / "run.json"
    said = json.loads(run.read_text()) if run.is_file() else {"version": cluster.name.split("-")[0]}
    release: str = said.get("version") or said["kafka"]
    return release


def require_truth(clusters: list[Path]) -> None:
    true = {cluster.name: truth(cluster) for cluster in clusters}
    rows = spans([records(cluster) for cluster in clusters])
    wrong = [row for row in rows if true[row["cluster_id"]] not in row["releases"]]
    assert not wrong
    assert {row["cluster_id"] for row in rows} == set(true)
    nodes = [(row["cluster_id"], row["node_id"]) for row in rows]
    assert len(nodes) == len(set(nodes)), "a cluster of one release has one span a node"
    assert not [row for row in rows if row["certainty"] == "undetermined" or not row["evidence"]]


def test_spans_contain_the_release_that_ran(shared: Path) -> None:
    require_truth([shared / "corpus" / name for name in QUICK])


@pytest.mark.soak
def test_every_span_of_the_corpus(shared: Path) -> None:
    folders = (
        one for kind in ("lab", "public") for one in (shared / "corpus" / kind).iterdir() if one.is_dir()
    )
    require_truth(sorted(folders))


def log_text(node: Path, log: str, day: str) -> bytes:
    """All of one log of a lab node, the rolled files first, as if written on `day`."""
    files = [*sorted(node.glob(f"{log}.log.*")), node / f"{log}.log"]
    return b"".join(one.read_bytes() for one in files).replace(b"[2026-11-21 ", f"[{day} ".encode())


@pytest.fixture(scope="session")
def upgraded(shared: Path) -> dict[str, bytes]:
    """Both logs of a broker that ran 2.2.2 on one day and 3.2.3 on the next, in one file each."""
    lab = shared / "corpus" / "lab"
    days = (("2.2.2-zk-stock", "2026-11-21"), ("3.2.3-zk-stock", "2026-11-22"))
    return {
        log: b"".join(log_text(lab / name / "broker-1", log, day) for name, day in days)
        for log in ("controller", "state-change")
    }


def read_logs(cluster: str, texts: dict[str, bytes]) -> list[pa.Table]:
    return [
        read_table(text, cluster_id=cluster, log=log, file_id=f"{cluster}-{log}")
        for log, text in texts.items()
    ]


def test_an_upgrade_inside_a_file(upgraded: dict[str, bytes]) -> None:
    """With controller.log the new release begins with the start of its process, without it with its first line."""
    down = {log: text.replace(b"[2026-11-21 ", b"[2026-11-23 ") for log, text in upgraded.items()}
    cases = {
        "both": upgraded,
        "down": down,
        "lines": {"state-change": upgraded["state-change"]},
        "turned": {"state-change": down["state-change"]},
        "mixed": {
            "state-change": upgraded["state-change"].replace(b"[2026-11-22 08:22:", b"[2026-11-21 08:58:")
        },
    }
    rows = spans([table for case, texts in cases.items() for table in read_logs(case, texts)])
    found = {
        case: [(row["since_release"], row["until_release"], row["begins_with"], row["certainty"]) for row in rows
               if row["cluster_id"] == case]
        for case in cases
    }  # fmt: skip
    assert found["both"] == [("2.2.0", "2.2.2", "start", "inferred"), ("3.2.0", "3.2.3", "start", "inferred")]
    assert found["down"] == [("3.2.0", "3.2.3", "start", "inferred"), ("2.2.0", "2.2.2", "start", "inferred")]
    old, new = found["lines"]
    assert old[2:] == ("first", "inferred")
    assert new == ("3.2.0", "3.2.3", "change", "inferred")
    assert str(old[1]) < "2.4"
    assert [one[3] for one in found["turned"]] == ["undetermined"]
    assert {one[3] for one in found["mixed"]} == {"undetermined"}
    before, after = (row for row in rows if row["cluster_id"] == "both")
    started = next(
        datetime.strptime(line[1:24].decode(), "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
        for line in upgraded["controller"].splitlines()
        if line.startswith(b"[2026-11-22") and b"EventThread controllerId=1] Starting" in line
    )
    assert after["valid_from_at"] == started
    assert before["valid_until_at"].day == 21


def test_conf_fixes_a_release_and_lines_may_deny_it(upgraded: dict[str, bytes]) -> None:
    old = {log: text[: text.index(b"[2026-11-22 ")] for log, text in upgraded.items()}
    settings = {
        "agrees": ReleaseSetting(((None, "2.2"),)),
        "denied": ReleaseSetting(((None, "2.2"), (1, "3.9.1"))),
    }
    found = {}
    for cluster, setting in settings.items():
        (found[cluster],) = spans(read_logs(cluster, old), setting)
    assert {name: (row["since_release"], row["source"], row["certainty"]) for name, row in found.items()} == {
        "agrees": ("2.2.0", "setting", "inferred"),
        "denied": ("3.9.1", "setting", "undetermined"),
    }
    assert found["denied"]["reason"] == "fixed in conf, but its lines are of 2.2.0 to 2.2.2"
    assert found["agrees"]["reason"] is None


def test_what_conf_fixes_for_all_holds_for_files_of_no_known_node(upgraded: dict[str, bytes]) -> None:
    text = upgraded["state-change"]
    table = read_table(text[: text.index(b"[2026-11-22 ")], node_id=None)
    (found,) = spans([table], ReleaseSetting(((1, "3.9.1"), (None, "2.2.2"))))
    assert (found["node_id"], found["releases"]) == (None, ["2.2.2"])


def test_a_span_ends_just_after_its_last_line() -> None:
    """Also where two files of one hour say the same."""
    line = "[2026-11-21 08:{},000] TRACE [Controller id=1] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)\n"
    tables = [
        read_table(line.format(at).encode(), log="controller", file_id=at)
        for at in ("30:00", "10:00", "50:00")
    ]
    (found,) = spans(tables)
    ends = (found["valid_from_at"], found["valid_until_at"])
    assert [f"{one:%H:%M:%S.%f}" for one in ends] == ["08:10:00.000000", "08:50:00.001000"]


def test_hours_that_say_the_same_again_are_not_folded(shared: Path) -> None:
    lab = shared / "corpus" / "lab" / "2.2.2-zk-stock" / "broker-1"
    hours = [log_text(lab, "state-change", f"2026-11-{day}") for day in (21, 22, 23)]
    folded = [
        deciding_sights(seen_once(sights_with_release_bits(seen))).height
        for seen in (
            wording_seen.build(frame_of(read_table(b"".join(some), log="state-change")))
            for some in (hours[:2], hours)
        )
    ]
    assert folded[0] == folded[1] > 0


def test_no_wordings() -> None:
    assert spans([read_table(b"", cluster_id="c", log="controller")]) == []


STARTS = "[2026-11-21 00:00:00,100] INFO [QuorumController id=3] Creating new QuorumController with clusterId aBcdefghijklmnopqrstuv. (org.apache.kafka.controller.QuorumController)\n"
SAYS = "[2026-11-21 00:00:0{},200] INFO Kafka version: {} (org.apache.kafka.common.utils.AppInfoParser)\n"


@pytest.mark.parametrize(
    ("said", "releases"),
    [
        pytest.param(["3.9.0"], [["3.9.0"]], id="as the process says it"),
        pytest.param(["3.8.1", "3.9.0"], [["3.8.1"], ["3.9.0"]], id="an upgrade"),
        pytest.param(["7.6.0-ccs"], [["3.6.0", "3.9.2"]], id="a vendor's number tells nothing"),
        pytest.param(["3.99.0"], [["3.6.0", "3.9.2"]], id="a release that is not known"),
    ],
)
def test_what_a_process_says_at_the_end_of_its_start(said: list[str], releases: list[list[str]]) -> None:
    lines = "".join(
        STARTS.replace("00,", f"0{one},") + SAYS.format(one, text) for one, text in enumerate(said)
    )
    found = spans([read_table(lines.encode(), log="mixed")])
    ends = [sorted({row["since_release"], row["until_release"]}) for row in found]
    assert (ends, {row["certainty"] for row in found}) == (releases, {"proved"})
