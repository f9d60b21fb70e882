"""Which setting wins, what it says about a cluster or broker, and the sentence when it is wrong."""

from pathlib import Path

import pytest
import yaml

from jobs.settings.defaults import declared_settings
from jobs.settings.load import load_settings, settings_file_in
from jobs.settings.masking import OFF
from jobs.settings.model import Settings
from pipeline.core.errors import SettingsError
from tests.jobs.settings_text import from_text, write

REPOSITORY = Path(__file__).parents[2]


def test_later_sources_win(tmp_path: Path) -> None:
    file = write(tmp_path, "zone: Europe/Berlin\nquiet_seconds: 1\nlimits: {range_bytes: 7}\n")
    environ = {"KCA_QUIET_SECONDS": "2", "KCA_LIMITS__MAX_RECORD_BYTES": "9", "KCA_SHARED": "/no/setting"}
    settings = load_settings(file, {"quiet_seconds": 3}, environ)
    assert (settings.zone, settings.quiet_seconds) == ("Europe/Berlin", 3)
    assert (settings.limits.range_bytes, settings.limits.max_record_bytes) == (7, 9)
    assert settings.source_of("cluster") == "defaults"
    assert settings.source_of("zone") == str(file)
    assert settings.source_of("limits.max_record_bytes") == "KCA_LIMITS__MAX_RECORD_BYTES"
    assert settings.source_of("quiet_seconds") == "--quiet-seconds"


def test_the_file_of_the_working_directory_is_found(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "kafka-controller-audit.yaml").write_text("cluster: here\n")
    assert load_settings(environ={}, folder=tmp_path).cluster_id == "here"


def test_elsewhere_the_file_of_the_checkout_is_found(tmp_path: Path) -> None:
    shipped = REPOSITORY / "conf" / "kafka-controller-audit.yaml"
    assert load_settings(environ={}, folder=tmp_path).source_of("cluster") in {str(shipped), "defaults"}
    assert settings_file_in(tmp_path) == shipped


@pytest.mark.parametrize(
    "key", ["%Xk29fjfk39fjdk2k3", "*Xk29fjfk39fjdk2k3", "'Xk29: fjfk39: k2", "12345678901234567890"]
)
def test_the_key_of_masking_is_not_shown(tmp_path: Path, key: str) -> None:
    """It is taken from the environment as it stands; in a file it has to be YAML."""
    conf = write(tmp_path, "masking: {kinds: [hosts]}\n")
    masking = load_settings(conf, environ={"KCA_MASKING__KEY": key}).masking
    assert masking.key is not None and masking.key.get_secret_value() == key
    with pytest.raises(SettingsError) as raised:
        from_text(tmp_path, f"masking:\n  kinds: [hosts]\n  key: {key}\n")
    assert "Xk29" not in str(raised.value) and "12345" not in str(raised.value)


@pytest.mark.parametrize("entity", ["(?P<a>x)", "topic {x}", "[[]", "[a[b]]", "(?<a>x)", "(?(1)x)"])
def test_an_entity_is_a_pattern_that_java_reads_alike(tmp_path: Path, entity: str) -> None:
    entry = {"known_findings": {"suppressions": [{"entity": entity, "until": "2027-01-01", "reason": "x"}]}}
    with pytest.raises(SettingsError, match="to be a regular expression"):
        from_text(tmp_path, yaml.safe_dump(entry))


def test_a_cluster_and_a_broker_say_what_differs(tmp_path: Path) -> None:
    settings = from_text(
        tmp_path,
        """
        zone: UTC
        clusters:
          prod:
            zone: Europe/Berlin
            release: "2.2"
            leader_imbalance: {per_broker_percentage: 5}
            brokers: {3: {zone: America/New_York, release: 2.3.1, per_broker_percentage: 0}}
        """,
    )
    zones = [settings.zone_of("prod", node) for node in (3, 1, None)]
    assert zones == ["America/New_York", "Europe/Berlin", "Europe/Berlin"]
    assert settings.zone_of("another", 3) == "UTC"
    assert settings.cluster("prod").release == "2.2"
    assert settings.cluster("prod").brokers[3].release == "2.3.1"
    assert settings.cluster("another").release is None
    told = [settings.balancing(*one) for one in (("prod", 3), ("prod", 1), ("another", 3))]
    assert [one.per_broker_percentage for one in told] == [0, 5, None]
    assert settings.cluster("prod").leader_imbalance.check_interval_seconds == 300


def test_an_envelope_is_given_by_path_broker_cluster_or_for_all(tmp_path: Path) -> None:
    settings = from_text(
        tmp_path,
        """
        envelope: strimzi
        path_envelopes: [{path: '^pods/.*/0[.]log$', envelope: cri/stock}]
        clusters:
          prod:
            envelope: '%d %p %c - %m%n'
            brokers: {3: {envelope: cri/ecs}}
        """,
    )
    given = [settings.envelope_of(*one) for one in (("prod", 3, "x"), ("prod", 1, "x"), ("dev", 3, "x"))]
    assert given == ["cri/ecs", "pattern:%d %p %c - %m%n", "strimzi"]
    assert settings.envelope_of("prod", 3, "pods/a/0.log") == "cri/stock"
    assert from_text(tmp_path, "").envelope_of("prod", 3, "x") is None
    assert settings.fingerprint("prod") != from_text(tmp_path, "").fingerprint("prod")


def test_the_fingerprint_follows_what_changes_results(tmp_path: Path) -> None:
    plain = load_settings(environ={}, conf=write(tmp_path, ""))
    faster = from_text(tmp_path, "limits: {range_bytes: 7}\nquiet_seconds: 0\n")
    other = from_text(tmp_path, "clusters: {prod: {zone: Europe/Berlin}}\n")
    assert plain.fingerprint() == faster.fingerprint()
    assert plain.fingerprint() != other.fingerprint()
    assert plain.fingerprint("test") == other.fingerprint("test")
    assert plain.fingerprint("prod") != other.fingerprint("prod")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limits: {range_bytes: 0}", "limits.range_bytes in {file} to be greater than 0, found 0;"),
        ("server_log: perhaps", "server_log in {file} to be auto, true or false, found 'perhaps';"),
        (
            "zone: Mars/Base",
            "zone in {file} to be an IANA time zone such as UTC or Europe/Berlin, found 'Mars",
        ),
        ("zone: ../../etc/passwd", "zone in {file} to be an IANA time zone"),
        ("cluster: a/b", "cluster in {file} to be a name that can be a folder"),
        ("quite_seconds: 1", "found the unknown key quite_seconds; write quiet_seconds, or take it out."),
        ("limits: {range: 1}", "found the unknown key limits.range; write range_bytes"),
        ("envelope: strimsi", "envelope in {file} to be a ConversionPattern or one of stock, "),
        (
            "envelope: '%d{ABSOLUTE} %c %m'",
            "(found no date, so that a line could be of any day in %d{ABSOLUTE})",
        ),
        (
            "path_envelopes: [{path: '(', envelope: stock}]",
            "path_envelopes.0.path in {file} to be a regular expr",
        ),
        ("path_patterns: ['(']", "path_patterns.0 in {file} to be a regular expression ("),
        ("path_patterns: ['(?P<host>.)']", "named groups out of cluster, node, log, found '(?P<host>.)';"),
        ("clusters: {a: {brokers: {x: {}}}}", "clusters.a.brokers.x in {file} to be integer, found 'x';"),
        ("clusters: {a: {zone: X}}", "clusters.a.zone in {file} to be an IANA time zone"),
        (
            "release: '2.2.9'",
            "release in {file} to be a release of Kafka such as 2.2.2, or 2.2 for all of it",
        ),
        ("release: 2.2", "release in {file} to be string, found 2.2;"),
        ("zone: UTC\nzone: UTC", "the key zone stands twice"),
        ("zone: [", "Expected YAML in {file}, found"),
        ("- zone", "Expected keys with values in {file}, found a list;"),
    ],
)
def test_a_wrong_setting_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as raised:
        from_text(tmp_path, text)
    sentence = str(raised.value)
    assert said.replace("{file}", str(tmp_path / "own.yaml")) in sentence
    assert "\n" not in sentence
    assert sentence.startswith("Expected ") and sentence.endswith(".")


def test_wrong_variables_flags_and_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="in KCA_ZONE to be an IANA time zone"):
        load_settings(environ={"KCA_ZONE": "nowhere"}, folder=tmp_path)
    with pytest.raises(SettingsError, match="in --zone to be an IANA time zone"):
        load_settings(flags={"zone": "nowhere"}, environ={}, folder=tmp_path)
    with pytest.raises(SettingsError, match="unknown key zoom"):
        load_settings(environ={"KCA_ZOOM": "1"}, folder=tmp_path)
    with pytest.raises(SettingsError, match=r"missing\.yaml, found No such file"):
        load_settings(tmp_path / "missing.yaml", environ={})


def test_the_shipped_file_sets_nothing_and_shows_every_default() -> None:
    shipped = (REPOSITORY / "conf" / "kafka-controller-audit.yaml").read_text()
    assert yaml.safe_load(shipped) is None
    text = "\n".join(line.lstrip("# ") for line in shipped.splitlines())
    shown = [f"{one.key.rpartition('.')[2]}: {one.default}".rstrip() for one in declared_settings()]
    assert [line for line in shown if f"\n{line}\n" not in f"\n{text}\n"] == []


def test_each_setting_says_what_it_means() -> None:
    assert [one.key for one in declared_settings() if one.default and not one.meaning] == []


KEY = "a key of the tests"


def masking(folder: Path, text: str, **environ: str) -> Settings:
    return load_settings(write(folder, f"masking: {text}\n"), environ=environ)


def test_masking_is_off_unless_something_is_named(tmp_path: Path) -> None:
    assert from_text(tmp_path, "{}").masking.rules() is None
    assert masking(tmp_path, "{key: short}").masking.rules() is None
    own = masking(tmp_path, "{kinds: [hosts, addresses]}", KCA_MASKING__KEY=KEY).masking.rules()
    assert own is not None
    assert (own.kinds, own.key) == (("hosts", "addresses"), KEY.encode())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{kinds: [hosts], key: too-short-key}", "a key of at least 16 characters"),
        ("{kinds: [hosts], key: 1234567890123456789}", "masking.key in"),
        ("{kinds: [names]}", "one of hosts, principals, addresses, client_ids"),
        (
            "{patterns: [{name: host, pattern: 'x*'}]}",
            "a pattern that matches neither nothing nor a line end",
        ),
        ("{patterns: [{name: 'a b', pattern: x}]}", "masking.patterns.0.name in"),
    ],
)
def test_wrong_masking_is_one_sentence_without_the_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as problem:
        masking(tmp_path, text)
    assert said in str(problem.value)
    assert "too-short-key" not in str(problem.value) and "123456789" not in str(problem.value)


def test_masking_is_stated_without_key_and_patterns(tmp_path: Path) -> None:
    text = "{kinds: [principals, hosts], patterns: [{name: host, pattern: 'hidden[.]corp'}], key: %s}"
    one = masking(tmp_path, text % KEY)
    said = one.model_dump(mode="json")["masking"]
    assert said["kinds"] == ["hosts", "principals"] and len(said["patterns"]) == 1
    everything = f"{said} {one!r} {one.masking!r} {one.masking.rules()!r}"
    assert KEY not in everything and "hidden" not in str(said)
    others = [
        text % "another key of it",
        (text % KEY).replace("hidden", "x"),
        f"{{kinds: [hosts], key: {KEY}}}",
    ]
    assert len({one.fingerprint(), *(masking(tmp_path, other).fingerprint() for other in others)}) == 4
    assert masking(tmp_path, "{}").model_dump(mode="json")["masking"] == OFF
