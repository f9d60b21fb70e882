"""Findings reach a destination once, and one that takes nothing is said and changes no exit code."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from jobs import cli
from jobs.notify import command
from jobs.notify.arguments import notify_parser
from jobs.notify.destination import VARIABLE
from jobs.notify.request import parse_notify_request
from jobs.questions.ask import all_answers
from jobs.questions.unpublished import WatchedTables
from jobs.settings.load import load_settings
from pipeline.core.errors import EnvironmentProblem, Locked
from pipeline.store.files.object_files import ObjectFiles
from pipeline.store.readers.small_file import SmallFile
from pipeline.store.runs.published import NOTIFIED
from pipeline.views.reading.answers import Answers
from tests.conftest import REPOSITORY
from tests.golden import CLUSTER
from tests.notify.endpoint import SECRET, Answer, Endpoint

Said = pytest.CaptureFixture[str]
OF_GOLDEN = {"bef96f9a2982", "3c303a70fb4d", "17ad548c6c87"}


def notified(warehouse: Path, url: str | None, *more: str) -> int:
    given = [] if url is None else ["--url", url]
    return cli.main(["notify", "--warehouse", str(warehouse), *given, *more])


def ids_in(endpoint: Endpoint) -> list[set[str]]:
    return [{one["finding_id"] for one in sent.json} for sent in endpoint.received]


def test_each_finding_is_sent_once_to_each_destination(
    golden: Path, endpoint: Endpoint, capsys: Said
) -> None:
    given = ("--format", "json")
    assert [notified(golden, endpoint.url, *given) for _ in range(2)] == [0, 0]
    assert ids_in(endpoint) == [OF_GOLDEN]
    assert capsys.readouterr().out.splitlines() == [
        f"{CLUSTER}  SENT 3 new findings to {endpoint.shown}",
        f"{CLUSTER}  0 new findings for {endpoint.shown}",
    ]
    assert cli.main(["findings", "--warehouse", str(golden), *given]) == 0
    assert endpoint.received[0].body.decode() == capsys.readouterr().out
    assert notified(golden, f"{endpoint.url}/other", *given) == 0
    assert ids_in(endpoint) == [OF_GOLDEN, OF_GOLDEN]
    # Less severe ones than were asked for before are not taken for told.
    shutil.copytree(golden / CLUSTER, golden / "b")
    (golden / "b" / NOTIFIED).unlink()
    assert notified(golden, endpoint.url, *given, "--severity", "critical") == 0
    assert notified(golden, endpoint.url, *given) == 0
    assert [len(one) for one in ids_in(endpoint)[2:]] == [2, 1]


def test_nothing_is_sent_in_the_middle_of_a_backfill(golden: Path, endpoint: Endpoint, capsys: Said) -> None:
    (found,) = all_answers(str(golden), None, None)
    halted = Answers(CLUSTER, WatchedTables(found.tables, parts_left=1))  # type: ignore[arg-type]
    asked = parse_notify_request(notify_parser().parse_args(["--url", endpoint.url]))
    command.notify_cluster(halted, SmallFile.at(str(golden / "state.json")), asked)
    assert not endpoint.received and not (golden / "state.json").exists()
    said = f"{CLUSTER}  backfill: 1 part to come, nothing is sent to {endpoint.shown} until they are read"
    assert capsys.readouterr().out.splitlines() == [said]


def test_a_chat_gets_one_message_a_cluster(
    golden: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(golden / CLUSTER, golden / "b")
    monkeypatch.setenv(VARIABLE, endpoint.url)
    assert notified(golden, None, "--format", "mattermost") == 0
    texts = [one.json["text"] for one in endpoint.received]
    assert len(texts) == 2 and endpoint.received[0].path == f"/services/{SECRET}"
    assert texts[0].splitlines()[0] == (
        "*NOT OK: 2 critical, 1 warning*  `b`, 2 partitions without a leader, data to 2026-11-21 00:00:31.001 UTC"
    )
    assert " 2 events left partitions without a leader; the worst: broker 2 died or hung: 2 " in texts[1]
    assert texts[1].count("CRIT `") == 1 and "\n    `broker-1/controller.log:5`\n" in texts[1]
    headers = endpoint.received[0].headers
    assert headers["Content-Type"].startswith("application/json")
    assert headers["Idempotency-Key"] != endpoint.received[1].headers["Idempotency-Key"]


def test_a_dry_run_sends_and_remembers_nothing(golden: Path, endpoint: Endpoint, capsys: Said) -> None:
    assert notified(golden, endpoint.url, "--dry-run") == 0 == notified(golden, None, "--dry-run")
    assert (
        capsys.readouterr().out.count("WARN F3 2026-11-21 00:00:20.000 deletion of topic b has waited") == 2
    )
    assert not endpoint.received and not (golden / CLUSTER / NOTIFIED).exists()


FAILURES = {
    "500": (Answer(500, body=f"no {SECRET}"), "500 Internal Server Error, the last of 4 tries", 4),
    "429": (Answer(429, (("Retry-After", "3600"),)), "429 Too Many Requests", 1),
    "403": (Answer(403, body="invalid_token"), "403 Forbidden (invalid_token)", 1),
    "404": (Answer(404, body="services"), "404 Not Found;", 1),  # which the URL holds
    "410": (Answer(410, body="token_services_secret"), "410 Gone;", 1),  # which holds a part of the URL
    "302": (
        Answer(302, (("Location", f"http://elsewhere.example/{SECRET}"),)),
        "a redirect (302) to http://elsewhere.example, which is not followed",
        1,
    ),
    "307": (Answer(307, (("Location", f"/{SECRET}"),)), "a redirect (307), which is not followed", 1),
    "silent": (Answer(seconds=5), "no answer within 1.0 s", 1),
}


@pytest.mark.parametrize("name", FAILURES)
def test_an_endpoint_that_fails_is_said_and_told_later(
    name: str, golden: Path, endpoint: Endpoint, capsys: Said
) -> None:
    answer, words, tries = FAILURES[name]
    endpoint.answers = [answer]
    assert notified(golden, endpoint.url, "--timeout", "1" if name == "silent" else "5") == 0
    said = capsys.readouterr()
    assert not said.out and len(said.err.splitlines()) == 1
    assert said.err.startswith(
        f"notify: Expected {endpoint.shown} to take the findings of cluster {CLUSTER}, found {words}"
    )
    assert "SECRET" not in said.err and len(endpoint.received) == tries
    assert "SECRET" not in (golden / CLUSTER / NOTIFIED).read_text()
    if name in {"500", "silent"}:
        assert notified(golden, endpoint.url, "--fail", "--timeout", "0.3") == 3
    endpoint.answers = [Answer(503), Answer()]
    assert notified(golden, endpoint.url) == 0
    assert "SENT 3 new findings" in capsys.readouterr().out


def test_where_nobody_listens_other_clusters_are_not_tried(golden: Path, capsys: Said) -> None:
    shutil.copytree(golden / CLUSTER, golden / "b")
    with Endpoint() as closed:
        url = closed.url
    assert notified(golden, url) == 0
    said = capsys.readouterr().err.splitlines()
    first, second = (line for line in said if line.startswith("notify:"))
    assert "found Connection refused, the last of 4 tries" in first
    assert second == f"notify: {closed.shown} was not tried for 1 more cluster"


def test_nothing_goes_where_a_redirect_leads(golden: Path, endpoint: Endpoint) -> None:
    with Endpoint() as other:
        threading.Thread(target=other.serve_forever, args=(0.01,), daemon=True).start()
        endpoint.answers = [Answer(308, (("Location", other.url),))]
        assert notified(golden, endpoint.url) == 0
        other.shutdown()
        assert len(endpoint.received) == 1 and not other.received


def test_killed_before_it_is_remembered_it_is_sent_again(golden: Path, endpoint: Endpoint) -> None:
    """At least once; with the same key, by which it can be told."""
    endpoint.answers = [Answer(kills=True), Answer()]
    words = [sys.executable, "-m", "jobs", "notify", "--warehouse", str(golden), "--format", "json"]
    given = {"cwd": REPOSITORY, "env": os.environ | {VARIABLE: endpoint.url}}
    with subprocess.Popen(words, **given) as process:  # type: ignore[call-overload]
        endpoint.victim = process.pid
    assert process.returncode == -9
    for _ in range(2):
        assert notified(golden, endpoint.url, "--format", "json") == 0
    assert ids_in(endpoint) == [OF_GOLDEN, OF_GOLDEN]
    first, second = (one.headers["Idempotency-Key"] for one in endpoint.received)
    assert first == second and len(first) > 30


def test_what_cannot_be_remembered_is_not_sent(
    golden: Path, endpoint: Endpoint, tmp_path: Path, capsys: Said
) -> None:
    """As in a warehouse that may only be read."""
    (golden / CLUSTER / NOTIFIED).mkdir()
    assert notified(golden, endpoint.url) == 3
    assert "another file with --state" in capsys.readouterr().err and not endpoint.received
    state = ("--state", str(tmp_path / "state" / "notified.json"))
    assert [notified(golden, endpoint.url, *state) for _ in range(2)] == [0, 0]
    assert len(endpoint.received) == 1


def test_a_state_that_cannot_be_understood_is_said_and_begun_anew(
    golden: Path, endpoint: Endpoint, capsys: Said
) -> None:
    file = golden / CLUSTER / NOTIFIED
    for text in ("{", "[]", '{"format": 1, "clusters": {"golden": 7}}', '{"format": 2, "clusters": {}}'):
        file.write_text(text)
        assert notified(golden, endpoint.url) == 0
        assert "what stands is told again" in capsys.readouterr().err
        assert json.loads(file.read_text())["format"] == 1
    assert len(endpoint.received) == 4


def test_doctor_has_nothing_against_it(golden: Path, endpoint: Endpoint, capsys: Said) -> None:
    looks = []
    for _ in range(2):
        cli.main(["doctor", "--warehouse", str(golden), "--format", "json"])
        looks.append(capsys.readouterr().out)
        assert notified(golden, endpoint.url) == 0
        capsys.readouterr()
    assert looks[0] == looks[1] and sorted(one.name for one in golden.iterdir()) == [CLUSTER]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (None, "found neither"),
        ("", "found nothing"),
        ("hooks.slack.com/services/SECRET", "found no scheme"),
        ("ftp://SECRET", "found another scheme"),
        ("file:///etc/SECRET", "found another scheme"),
        ("https:///SECRET", "found no host"),
        ("https://SECRET:port/", "found a host or port that is none"),
        ("https://[SECRET/", "found a host or port that is none"),
        ("https://a.b/SECRET\r\nX: 1", "found blanks"),
        ("https://a.b/SECRET ü", "found blanks"),
    ],
)
def test_a_url_that_is_none_is_exit_code_2_and_not_shown(
    url: str | None, words: str, golden: Path, capsys: Said
) -> None:
    assert notified(golden, url) == 2
    said = capsys.readouterr()
    assert words in said.err and "SECRET" not in said.err + said.out


def test_arguments_that_are_wrong_do_not_show_it_either(golden: Path, capsys: Said) -> None:
    for more in (["https://a.b/SECRET"], ["--timeout", "https://a.b/SECRET"], ["--timeout", "0"]):
        with pytest.raises(SystemExit) as ended:
            notified(golden, None, *more)
        assert ended.value.code == 2 and "SECRET" not in capsys.readouterr().err


def test_the_variable_of_the_url_is_no_setting(tmp_path: Path) -> None:
    assert load_settings(environ={VARIABLE: "https://a.b/c"}, folder=tmp_path) == load_settings(
        environ={}, folder=tmp_path
    )


def test_a_warehouse_that_only_spark_reads_needs_a_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "readable_directly", lambda _: None)
    with pytest.raises(EnvironmentProblem, match="--state FILE"):
        command.file_of("hdfs://x/y", None)


def test_a_state_in_another_store_is_whole(tmp_path: Path) -> None:
    file = SmallFile(f"file://{tmp_path}/{NOTIFIED}", ObjectFiles())
    assert file.text() is None
    for text in ("a longer text", "ü"):
        file.write(text)
        assert file.text() == text


def test_two_at_once_do_not_send_twice(tmp_path: Path) -> None:
    file = SmallFile.at(str(tmp_path / NOTIFIED))
    with file.held(0), pytest.raises(Locked), file.held(0.1):
        pass
    with file.held(0):
        pass
