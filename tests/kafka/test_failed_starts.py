"""Why a node did not come up, in words: each cause has its own, and they are short."""

from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.exception_lines import read_exception_lines
from pipeline.kafka.wording.failed_starts import NOT_TOLD, PLACE, in_words
from pipeline.model.brokers.failed_starts import OF_EVENT, OF_STEP

SHOWN = 200  # letters of a sentence on the first screen
SAMPLES = {
    "cluster_id": "VbZ0LxJ4TD6Y2m4hYvJ3Ow",
    "stored_cluster_id": "KeV_Kj-4QBmE7jRYmen2pg",
    "owner_session": "72058582975512585",
    "own_session": "72058582975512585",
    "exception_message": "Address already in use",
    "detail": "Error loading metadata log record at 1234",
    "exception": "EOFException: not enough bytes",
    "error": "DUPLICATE_BROKER_REGISTRATION",
    "log_dir": "/var/lib/kafka/data",
    "path": "/var/lib/kafka/data/orders-0",
    "host": "kafka-1.example.com",
}


def test_what_to_do_is_not_cut_off_on_the_first_screen() -> None:
    around = "node 1001 failed to start 40 times in 6 min 30 s: ; no line shows it up since; "
    long = [
        row
        for row in read_fact_table("wording/failed_starts.tsv")
        if len(around + PLACE.sub(lambda place: SAMPLES.get(place[1], "1001"), row["why"]) + row["todo"])
        > SHOWN
    ]
    assert not long


def test_no_directory_is_given_up_that_may_have_the_last_copy() -> None:
    giving_up = [
        row["todo"]
        for row in read_fact_table("wording/failed_starts.tsv")
        if "start without" in row["todo"] or "replace" in row["todo"]
    ]
    assert len(giving_up) == 3
    assert all(todo.endswith("if all partitions there are in sync elsewhere") for todo in giving_up)


def test_every_cause_has_words_of_its_own() -> None:
    of_lines = {*OF_EVENT.values(), *OF_STEP.values()}
    fields = {
        "log_dir",
        "path",
        "host",
        "port",
        "exception_message",
        "cluster_id",
        "stored_cluster_id",
        "broker_id",
        "voters",
        "stored_voters",
    }
    known = dict.fromkeys(fields | {"stored_broker_id", "id", "detail"}, "x")
    bare = in_words(NOT_TOLD, {})
    assert bare == ("no line says why", "read the lines before, and kafkaServer.out")
    assert all(in_words(one, known) != bare for one in of_lines)
    starting = {
        one.cause
        for one in read_exception_lines()
        if "not start" in one.meaning or one.cause.startswith("cause_disk")
    }
    assert all(in_words(one, known) != bare for one in starting)
