"""Which cluster a path belongs to, and what a folder that wants to do harm comes to."""

import os
import shutil
from pathlib import Path

import pytest

from jobs.engine.intake.discovery import candidates_by_cluster, listing_now
from jobs.engine.intake.file_probe import require_same_files
from jobs.settings.load import load_settings
from jobs.settings.model import Settings
from pipeline.core.errors import InputProblem


def settings(tmp_path: Path, **flags: object) -> Settings:
    own = tmp_path / "own.yaml"
    own.write_text("path_patterns: ['^of (?P<cluster>.*) on (?P<node>[0-9]+)/']\n")
    return load_settings(own, flags, environ={})


def files(root: Path, *names: str) -> str:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return str(root)


def test_a_name_that_no_folder_can_have_is_told_in_a_cluster_that_can(tmp_path: Path) -> None:
    logs = files(
        tmp_path / "logs",
        "of .. on 1/controller.log",
        "of a b on 1/controller.log",
        "x\ny/broker-1/controller.log",
        "of good on 1/controller.log",
    )
    found = candidates_by_cluster([logs], settings(tmp_path), None)
    assert list(found) == ["good"]
    read = [one.listed.relative for one in found["good"] if one.listed.problem is None]
    assert read == ["of good on 1/controller.log"]
    told = {one.listed.problem for one in found["good"]} - {None}
    assert told == {
        f"its path names a cluster {name!r}, which no folder can have as name: give --cluster"
        for name in ("..", "a b", "x\ny")
    }


def test_they_are_told_in_the_default_cluster_where_it_has_files(tmp_path: Path) -> None:
    logs = files(tmp_path / "logs", "of .. on 1/controller.log", "of good on 1/x", "controller.log")
    found = candidates_by_cluster([logs], settings(tmp_path, cluster="zz"), None)
    assert {name: len(candidates) for name, candidates in found.items()} == {"good": 1, "zz": 2}


def test_what_cannot_be_read_of_a_cluster_is_told_in_one_that_can(tmp_path: Path) -> None:
    logs = files(tmp_path / "logs", "b/broker-1/controller.log", "c/broker-1/controller.log")
    (tmp_path / "logs" / "a").mkdir()
    for link in ("a/broker-1", "c/broker-2", "d"):
        (tmp_path / "logs" / link).symlink_to(tmp_path)
    found = candidates_by_cluster([logs], settings(tmp_path), None)
    told = {name: [one.listed.relative for one in candidates] for name, candidates in found.items()}
    assert told == {
        "b": ["b/broker-1/controller.log", "a/broker-1", "d"],
        "c": ["c/broker-1/controller.log", "c/broker-2"],
    }
    assert [one.located.node for one in found["c"]] == [1, 2]


def test_without_a_usable_name_the_run_is_refused(tmp_path: Path) -> None:
    logs = files(tmp_path / "logs", "of .. on 1/controller.log")
    with pytest.raises(
        InputProblem, match=r"found '\.\.', the name of a folder; name the cluster with --cluster"
    ):
        candidates_by_cluster([logs], settings(tmp_path), None)
    assert list(candidates_by_cluster([logs], settings(tmp_path), "good")) == ["good"]


def test_a_name_that_reads_like_another_hides_nothing_that_can_be_read(tmp_path: Path) -> None:
    logs = files(tmp_path / "logs", r"f\xff.log", os.fsdecode(b"f\xff.log"))
    (found,) = candidates_by_cluster([logs], settings(tmp_path), "c")["c"]
    assert found.listed.problem is None


def test_links_are_followed_where_the_settings_say_so(tmp_path: Path) -> None:
    files(tmp_path / "elsewhere", "controller.log")
    logs = files(tmp_path / "logs", "state-change.log")
    (tmp_path / "logs" / "broker-1").symlink_to(tmp_path / "elsewhere")
    for follow_links, problems in ((False, [True, False]), (True, [False, False])):
        found = candidates_by_cluster([logs], settings(tmp_path, follow_links=follow_links), "c")["c"]
        assert [one.listed.problem is not None for one in found] == problems


def test_of_a_cluster_that_is_run_all_files_may_have_gone_and_others_come(tmp_path: Path) -> None:
    logs = files(tmp_path / "logs", "a/broker-1/controller.log", "b/broker-1/controller.log")
    found, conf = candidates_by_cluster([logs], settings(tmp_path), None), settings(tmp_path)
    (tmp_path / "logs/a/broker-1/controller.log").unlink()
    for link in ("a/broker-2", "d"):
        (tmp_path / "logs" / link).symlink_to(tmp_path)
    files(tmp_path / "logs", "b/broker-2/controller.log", "e/broker-1/controller.log")
    now = {name: listing_now([logs], conf, None, list(found), name) for name in found}
    told = {name: [one.listed.relative for one in some.candidates] for name, some in now.items()}
    assert told == {
        "a": ["a/broker-2", "d"],
        "b": ["b/broker-1/controller.log", "b/broker-2/controller.log"],
    }
    others = {one.removeprefix(f"{logs}/") for one in now["a"].others}
    assert others == {*told["b"], "e/broker-1/controller.log"}
    shutil.rmtree(tmp_path / "logs")
    (tmp_path / "logs").mkdir()
    assert listing_now([logs], conf, None, ["a"], "a").candidates == []
    (tmp_path / "logs").rmdir()
    with pytest.raises(InputProblem, match="Expected a log folder, file or glob at"):
        listing_now([logs], conf, None, ["a"], "a")


@pytest.mark.parametrize("name", ["none", "none/*.log", "file:///none", "s9://bucket/x"])
def test_what_is_not_there_is_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputProblem, match="Expected a log folder, file or glob at"):
        candidates_by_cluster([name if "://" in name else str(tmp_path / name)], settings(tmp_path), "c")


def test_what_only_the_driver_sees_is_one_sentence_and_what_is_gone_is_none(tmp_path: Path) -> None:
    require_same_files([str(tmp_path / "gone")], 2)
    (tmp_path / "here").write_bytes(b"x")
    with pytest.raises(InputProblem, match=r"found that 2 of 3 are not there for them, first .*here; mount"):
        require_same_files([str(tmp_path / "gone"), str(tmp_path / "here")], 3)
