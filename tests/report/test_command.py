"""The commands that write a page: of a warehouse, and of logs alone."""

from pathlib import Path

import pytest

from jobs.cli import main
from tests.conftest import REPOSITORY
from tests.golden import unpacked
from tests.report.reading import read

LAB = REPOSITORY / "tests" / "data" / "sample" / "lab-2.2.2"


def test_a_warehouse_gives_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    warehouse, file = unpacked(tmp_path), tmp_path / "audit.html"
    assert main(["report", "--warehouse", str(warehouse), "--output", str(file)]) == 0
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith(f"{file}  ") and said.err.endswith(", 1 cluster\n")
    text = read(file.read_text(encoding="utf-8")).text
    assert f" --warehouse {warehouse}" in text
    assert "Masking: off." in text and "kafka-controller-audit " in text
    assert main(["report", "--warehouse", str(warehouse), "--output", str(tmp_path / "no" / "a.html")]) == 2
    assert "Expected --output in a folder that can be written" in capsys.readouterr().err
    for place, found in ((tmp_path / "no" / "a.html", "no such folder"), (tmp_path, "a folder")):
        assert main(["incident", str(tmp_path / "nothing"), "--report", str(place)]) == 2
        assert f"Expected --report in a folder that can be written, {place}, found {found}; " in (
            capsys.readouterr().err
        )
    given = ["--since", "2026-01-02", "--until", "2026-01-01", "--output", str(file)]
    assert main(["report", "--warehouse", str(warehouse), *given]) == 2


def test_logs_alone_give_a_page_beside_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for cluster in ("a", "b"):
        for number in (1, 2, 3):
            folder = tmp_path / "logs" / cluster / f"broker-{number}"
            folder.mkdir(parents=True)
            found = (LAB / f"broker-{number}" / "controller.log").read_bytes()
            (folder / "controller.log").write_bytes(found)
    file = tmp_path / "audit.html"
    assert main(["incident", str(tmp_path / "logs"), "--report", str(file)]) == 0
    screen = capsys.readouterr().out
    root = read(file.read_text(encoding="utf-8"))
    assert [one.text for one in root.all("h1")] == ["a", "b"]
    (verdict, _) = (one.text for one in root.all("p", class_="verdict"))
    assert f"VERDICT  {verdict.partition('; ')[0]}" in screen
    (card,) = root.all("details", id="c1-F1")
    assert "kafka-controller-audit incident ... --show F1" in card.text
    places = [one.text for one in card.all("figcaption")]
    assert places and all(one.startswith("broker-") and "controller.log:" in one for one in places)
    hashes = [cell.text for cell in root.all("td", class_="hash")]
    assert len(hashes) == 6 and all(len(one) == 64 for one in hashes)
