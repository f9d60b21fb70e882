"""What settings and a given server.properties tell brokers of leader balancing, and that nothing else of it is kept."""

from pathlib import Path

import pytest

from jobs.settings.model import Settings
from pipeline.core.errors import SettingsError
from tests.jobs.settings_text import from_text

PER_BROKER = "leader.imbalance.per.broker.percentage"
INTERVAL = "leader.imbalance.check.interval.seconds"
ENABLE = "auto.leader.rebalance.enable"


def balancing(folder: Path, text: str, **files: str) -> Settings:
    """Settings; {a} in them is the path of a.properties, which holds what is given as a."""
    for name, content in files.items():
        (folder / f"{name}.properties").write_text(content)
    for name in files:
        text = text.replace(f"{{{name}}}", str(folder / f"{name}.properties"))
    return from_text(folder, text)


def test_what_is_set_counts_before_files_and_what_is_near_before_what_is_far(tmp_path: Path) -> None:
    settings = balancing(
        tmp_path,
        """
        leader_imbalance: {check_interval_seconds: 60}
        server_properties: {all}
        clusters:
          prod:
            server_properties: {prod}
            brokers:
              3: {server_properties: {three}}
              4: {server_properties: {three}, per_broker_percentage: 10}
          test: {leader_imbalance: {per_broker_percentage: 7}}
        """,
        all=f"{PER_BROKER}=1\n{INTERVAL}=20\n{ENABLE}=false\n",
        prod=f"{PER_BROKER}=2\n",
        three=f"{PER_BROKER}: 3\n{ENABLE} = True\nssl.key.password=hidden\n",
    )
    told = {
        (cluster, broker): tuple(settings.balancing(cluster, broker))
        for cluster, broker in (("prod", None), ("prod", 3), ("prod", 4), ("test", 1), ("dev", 1))
    }
    assert told == {
        ("prod", None): (2, 60, False, "server.properties"),
        ("prod", 3): (3, 60, True, "server.properties"),
        ("prod", 4): (10, 60, True, "conf"),
        ("test", 1): (7, 60, False, "conf"),
        ("dev", 1): (1, 60, False, "server.properties"),
    }
    assert tuple(from_text(tmp_path, "").balancing("dev", 1)) == (None, None, None, None)
    assert "hidden" not in f"{settings!r} {settings.model_dump_json()}"


def test_a_default_that_is_said_counts_before_a_file(tmp_path: Path) -> None:
    text = "server_properties: {all}\n"
    said = balancing(
        tmp_path, text + "leader_imbalance: {per_broker_percentage: 10}\n", all=f"{PER_BROKER}=5"
    )
    assert said.balancing("prod", 1)[:1] == (10,)
    unsaid = balancing(tmp_path, text, all=f"{PER_BROKER}=5")
    assert unsaid.balancing("prod", 1)[:1] == (5,)
    assert said.fingerprint("prod") != unsaid.fingerprint("prod")


def test_the_fingerprint_follows_what_a_file_says_and_not_its_name(tmp_path: Path) -> None:
    one = balancing(tmp_path, "server_properties: {a}", a=f"{PER_BROKER}=5\npassword=x")
    other = balancing(tmp_path, "server_properties: {b}", b=f"# more\n{PER_BROKER} : 5\npassword=y")
    assert one.fingerprint() == other.fingerprint() and one.fingerprint("c") == other.fingerprint("c")
    changed = balancing(tmp_path, "server_properties: {a}", a=f"{PER_BROKER}=6")
    assert changed.fingerprint("c") != one.fingerprint("c") and changed.fingerprint() != one.fingerprint()
    of_broker = "clusters: {c: {brokers: {1: {server_properties: {a}}}}}"
    by_value = [balancing(tmp_path, of_broker, a=f"{ENABLE}={value}") for value in ("true", "false")]
    assert len({each.fingerprint("c") for each in by_value}) == 2
    assert len({each.fingerprint("d") for each in by_value}) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{PER_BROKER}=ten", f"a server.properties in which {PER_BROKER} is an integer"),
        (f"{PER_BROKER}=", f"a server.properties in which {PER_BROKER} is an integer"),
        (f"{INTERVAL}=1.5", f"a server.properties in which {INTERVAL} is an integer"),
        (f"{ENABLE}=yes", f"a server.properties in which {ENABLE} is true or false"),
        (f"{PER_BROKER}=1\\\nssl.key.password=hidden", f"{PER_BROKER} is an integer"),
    ],
)
def test_a_wrong_value_in_a_file_is_one_sentence_without_it(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as problem:
        balancing(tmp_path, "clusters: {c: {brokers: {1: {server_properties: {a}}}}}", a=text)
    sentence = str(problem.value)
    assert said in sentence and "clusters.c.brokers.1.server_properties in" in sentence
    assert "a.properties'" in sentence and "hidden" not in sentence and "\n" not in sentence


@pytest.mark.parametrize("path", ["/no/such/server.properties", "/", "5", "''"])
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, path: str) -> None:
    with pytest.raises(
        SettingsError, match=r"server_properties in .* to be the path of a server\.properties"
    ):
        from_text(tmp_path, f"server_properties: {path}")
