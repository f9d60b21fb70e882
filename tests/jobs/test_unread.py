"""What a run says of files that look like Kafka's and are not read."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.file_probe import EMPTY, SERVER_SENTENCE, Looker
from jobs.engine.intake.segments import is_file_changed
from jobs.engine.run.preconditions import require_kafka
from jobs.engine.run.unread import excerpt_files, unread_files, unreadable_files
from jobs.settings.load import load_settings
from pipeline.bronze.file_look import Wanted, inspect_file
from pipeline.bronze.planning import NO_NAME
from pipeline.core.errors import NothingToRead
from pipeline.core.files import Listed
from pipeline.kafka.layout.paths import locate_path
from pipeline.kafka.reading.masking import Masking

RECORD = "[2021-01-10 14:19:30,068] INFO [Controller id=1] Starting up (kafka.controller.KafkaController)\n"
SETTINGS = load_settings(None, {}, {}, None)
NONE_READ = "no line of a Kafka controller log in its first 16,777,216 bytes"
NOW = datetime(2026, 11, 26, tzinfo=UTC)


def refused(
    folder: Path, content: str, envelope: str | None = None, masking: Masking | None = None
) -> tuple[str, str] | None:
    path = folder / "0.log"
    path.write_text(content)
    fact = inspect_file(
        str(path), None, envelope, Wanted(masking=masking), is_server_read=False, stored_bytes=len(content.encode()),
        max_file_bytes=1 << 30, max_ratio=500, max_record_bytes=16 << 20,
    )  # fmt: skip
    looker = Looker("c", SETTINGS, None, None)
    return looker.refusal(fact, envelope, None, None)


@pytest.mark.parametrize(
    ("content", "state", "sentence"),
    [
        (RECORD, None, ""),
        (f"[7] {RECORD}[8] {RECORD}", None, ""),
        (
            f"controller.log:{RECORD}" * 2,
            "not_asked",
            "'controller.log:' stands before the time of its lines, as grep prints those of another file: give --logs that "
            r"file, or name it with the setting envelope: 'prefix:(?:controller\.log)[:-]/stock'",
        ),
        (
            f"[7] {RECORD}some words\n" * 2,
            "not_kafka",
            f"{NONE_READ}; it looks like Kafka's: '[7] ' stands before the time of its lines, and not of all in one form: "
            r"name it with the setting envelope, such as 'prefix:\[\d+\] /stock'",
        ),
        (
            "14:19:30 KafkaController: Starting up\n",
            "not_kafka",
            f"{NONE_READ}; it looks like Kafka's: its lines begin with '14:19:30 KafkaController: Starting up', in no known "
            "layout: name their ConversionPattern with the setting envelope",
        ),
        ("14:19:30 of another program\n", "not_kafka", NONE_READ),
        (f"What we saw:\n\nthis line\n> {RECORD}twice\n", "not_kafka", NONE_READ),
    ],
)  # fmt: skip
def test_one_sentence_says_how_the_lines_begin_and_what_to_set(
    tmp_path: Path, content: str, state: str | None, sentence: str
) -> None:
    said = refused(tmp_path, content)
    assert said == (None if state is None else (state, sentence))
    named = sentence.rsplit("'", 2)[1] if "prefix:" in sentence else None
    assert named is None or refused(tmp_path, content, named) is None


@pytest.mark.parametrize(
    ("content", "state", "sentence"),
    [
        (RECORD, None, ""),
        (
            f"[7] node-a: {RECORD}" * 2,
            "not_kafka",
            f"{NONE_READ}; it looks like Kafka's: something stands before the time of its lines, of which masking does not "
            r"know what is secret: name it with the setting envelope: 'prefix:\[\d+\] *[\w.\/$@+~-]+: /stock', and its "
            "secrets as patterns",
        ),
        (
            f"node-a/controller.log:{RECORD}" * 2,
            "not_asked",
            "something stands before the time of its lines, as grep prints those of another file: give --logs that file, or "
            "name it with the setting envelope",
        ),
        (
            "node-a 14:19:30 KafkaController: Starting up\n",
            "not_kafka",
            f"{NONE_READ}; it looks like Kafka's: its lines are in no known layout: name their ConversionPattern with the "
            "setting envelope",
        ),
    ],
)  # fmt: skip
def test_with_masking_no_word_is_stored_that_may_be_secret(
    tmp_path: Path, content: str, state: str | None, sentence: str
) -> None:
    masking = Masking(("hosts",), (), b"k" * 32)
    assert refused(tmp_path, content, masking=masking) == (None if state is None else (state, sentence))
    named = r"prefix:\[\d+\] *[\w.\/$@+~-]+: /stock"
    assert "[7]" not in content or refused(tmp_path, content, named, masking) is None


LIKE = f"{NONE_READ}; it looks like Kafka's: its lines begin so"
STATES = {
    "/l/0.log": ("not_kafka", LIKE),
    "/l/1.log": ("not_kafka", NONE_READ),
    "/l/controller.log": ("not_kafka", NONE_READ),
    "/l/torn.gz": ("unreadable", "torn"),
    "/l/found.txt": ("not_asked", "as grep prints"),
    "/l/server.log": ("not_asked", SERVER_SENTENCE),
    "/l/e.log": ("waiting", EMPTY),
    "/l/b.log": ("waiting", NO_NAME),
}


def test_what_looks_like_kafkas_counts_as_unread_and_an_excerpt_does_not() -> None:
    assert [path for path, _ in unreadable_files(STATES)] == ["/l/torn.gz"]
    assert unread_files(STATES) == [
        ("/l/0.log", LIKE),
        ("/l/controller.log", NONE_READ),
        ("/l/torn.gz", "torn"),
    ]
    assert excerpt_files(STATES) == [("/l/found.txt", "as grep prints")]


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["/l/1.log"], "1 file, none to read (1 not kafka); name the brokers' log folder."),
        (["/l/server.log"], "(1 not asked); name the brokers' log folder; a server.log alone needs --server-log."),
        (["/l/1.log", "/l/0.log"], f"(2 not kafka); first /l/0.log: {LIKE}; name the"),
        (["/l/e.log"], "found 1 file, none to read (1 empty); first /l/e.log: the file is empty; name the"),
        (["/l/e.log", "/l/b.log"], "found 2 files, none to read (1 empty, 1 just begun); first /l/e.log: the file is"),
        (["/l/found.txt"], "(1 not asked); first /l/found.txt: as grep prints; name the brokers' log folder."),
    ],
)  # fmt: skip
def test_a_run_with_nothing_to_read_says_what_would_help(paths: list[str], said: str) -> None:
    with pytest.raises(NothingToRead) as raised:
        require_kafka("c", {path: STATES[path] for path in paths})
    assert said in str(raised.value)


def test_what_was_said_of_a_file_is_not_said_again() -> None:
    listed = Listed("/l/0.log", "0.log", 5, NOW)
    one = Candidate(listed, locate_path("0.log"))
    seen = {"size_bytes": 5, "modified_at": NOW, "state": "not_kafka", "sentence": LIKE, "file_id": None}
    assert not is_file_changed(one, seen, lambda _: NONE_READ, is_server_read=False)
    assert is_file_changed(one, seen, lambda _: f"{NONE_READ}, read as strimzi", is_server_read=False)
