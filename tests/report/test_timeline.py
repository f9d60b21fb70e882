"""The drawing for a notebook: the one of the page, with a style that reaches nothing beside it."""

import re

import pytest

from jobs.report.timeline import NAME, timeline_html
from pipeline.views.reading.answers import Answers
from tests.report.browser import Browser, installed
from tests.report.pages import page_of
from tests.report.reading import read


def test_it_has_the_marks_of_the_page_and_leads_nowhere(sample_answers: Answers) -> None:
    found, page = read(timeline_html(sample_answers)), read(page_of(sample_answers))
    titles = [one.text for one in found.all("title")]
    assert titles == [one.text for one in page.all("svg", class_="drawing")[0].all("title")]
    assert any(one.startswith("F1 unclean election") for one in titles)
    assert not found.all("a") and not found.all("script")
    assert set(re.findall(r"url\([^)]*\)", timeline_html(sample_answers))) == {"url(#hatch)", "url(#plot)"}


def test_a_part_of_the_time_is_drawn_alone(sample_answers: Answers) -> None:
    found = read(timeline_html(sample_answers, "2026-11-21T09:00", "2026-11-21T09:01"))
    assert found.all("svg", class_="drawing")[0].all("text")[0].text.startswith("09:00:")


@pytest.mark.skipif(installed() is None, reason="no Chromium is installed")
def test_its_style_is_its_own(tmp_path_factory: pytest.TempPathFactory, sample_answers: Answers) -> None:
    file = tmp_path_factory.mktemp("notebook") / "cell.html"
    beside = "<p class='down'>x</p>"
    file.write_text(f"<!DOCTYPE html><body>{beside}{timeline_html(sample_answers)}", encoding="utf-8")
    color = "getComputedStyle(document.querySelector('{}')).{}"
    with Browser(str(installed()), tmp_path_factory.mktemp("browser")) as browser:
        browser.open(file.as_uri())
        filled = browser.value(color.format(f".{NAME} .term", "fill"))
        background = browser.value(color.format(f".{NAME}", "backgroundColor"))
        assert (filled, background) == ("rgb(59, 111, 181)", "rgb(255, 255, 255)")
        assert browser.value(color.format("p.down", "backgroundColor")) == "rgba(0, 0, 0, 0)"
