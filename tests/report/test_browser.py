"""The page in a real browser: nothing that a log says runs, and its script narrows and sorts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.views.reading.answers import Answers
from tests.report.browser import Browser, installed
from tests.report.pages import HOSTILE, altered, page_of

pytestmark = pytest.mark.skipif(installed() is None, reason="no Chromium is installed")
SHOWN = "[...document.querySelectorAll('{}')].filter(one => !one.hidden).length"
TERMS, FINDINGS = "#terms tbody tr", ".finding"
FIRST = "document.querySelector('#terms tbody tr').cells[1].textContent"
BOX = "(({x, y, width, height}) => [x, y, width, height])(document.querySelector('svg.drawing').getBoundingClientRect())"
# Marks of the drawing that are shown; where its first and its last bar of evidence begin and end; times at its top.
MARKS = "document.querySelectorAll('svg.drawing [data-t]:not([display])').length"
VIEW = """(([first]) => [first.getAttribute('x'), Number(first.getAttribute('x')) + Number(first.getAttribute('width'))])(
    [...document.querySelectorAll('svg.drawing .logs:not([display])')])"""
TICKS = "[...document.querySelectorAll('svg.drawing .tick:not([display])')].length"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(str(installed()), tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, sample_answers: Answers) -> str:
    file = tmp_path_factory.mktemp("page") / "audit.html"
    file.write_text(page_of(sample_answers), encoding="utf-8")
    return file.as_uri()


def shown(browser: Browser, what: str) -> int:
    found = browser.value(SHOWN.format(what))
    assert isinstance(found, int)
    return found


def test_nothing_that_a_log_says_runs(browser: Browser, tmp_path: Path, sample_answers: Answers) -> None:
    for number, text in enumerate(HOSTILE[:-1]):
        file = tmp_path / f"{number}.html"
        file.write_text(page_of(altered(sample_answers, text)), encoding="utf-8")
        browser.told.clear()
        browser.open(file.as_uri())
        assert browser.value("document.querySelectorAll('img, iframe, object, script').length") == 1
        assert browser.value("document.querySelectorAll('.tools').length") > 5  # its own script has run
        assert (
            not {"Page.javascriptDialogOpening", "Log.entryAdded", "Runtime.exceptionThrown"}
            & browser.methods()
        )
        asked = [
            one["params"]["request"]["url"]
            for one in browser.told
            if one["method"] == "Network.requestWillBeSent"
        ]
        assert asked in ([], [file.as_uri()])


def test_a_time_in_the_address_narrows_findings_and_tables(browser: Browser, address: str) -> None:
    browser.open(address)
    assert (shown(browser, TERMS), shown(browser, FINDINGS)) == (8, 24)
    browser.open(f"{address}#t=2026-11-21T08:58:00Z,2026-11-21T08:58:20Z")
    assert shown(browser, TERMS) == 2 and 0 < shown(browser, FINDINGS) < 24
    counted = f"{shown(browser, FINDINGS)} of 24 findings"
    assert browser.value("document.querySelector('#findings .count').textContent") == counted
    fields = "[...document.querySelectorAll('.moment')].map(one => one.value)"
    assert browser.value(fields) == ["08:58:00", "08:58:20"]
    assert browser.value("document.querySelector('.range').textContent").startswith(
        "Shown: 2026-11-21 08:58:00.000 to 2026-11-21 08:58:20.000 UTC"
    )
    browser.value("document.querySelector('.range button').click()")
    assert (shown(browser, TERMS), shown(browser, FINDINGS)) == (8, 24)


def test_a_drag_over_the_drawing_narrows_too(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.value("document.querySelector('svg.drawing').scrollIntoView()")
    x, y, width, _ = browser.value(BOX)
    every = browser.value(MARKS)
    browser.drag((x + width * 0.5, y + 40), (x + width * 0.6, y + 60))
    assert shown(browser, TERMS) < 8
    assert browser.value("location.hash").startswith("#t=2026-11-21T08:5")
    drawn = browser.value(MARKS)
    assert 0 < drawn < every
    first, last = map(float, browser.value(VIEW))
    assert first == pytest.approx(170, abs=0.1) and last == pytest.approx(1110, abs=0.1)
    assert browser.value(TICKS)
    browser.drag((x + width * 0.5, y + 40), (x + width * 0.6, y + 60))
    assert 0 < browser.value(MARKS) < drawn
    browser.value("document.querySelector('.range button').click()")
    assert browser.value(MARKS) == every and shown(browser, TERMS) == 8


@pytest.mark.parametrize("width", [400, 1280])
def test_a_finger_along_the_times_narrows_too(browser: Browser, address: str, width: int) -> None:
    browser.open(address, width)
    browser.value("document.querySelector('svg.drawing').scrollIntoView()")
    x, y, wide, high = browser.value(BOX.replace("svg.drawing", "svg .axis"))
    browser.touch((x + 40, y + high / 2), (x + min(wide, width - x) - 60, y + high / 2))
    assert browser.value("location.hash").startswith("#t=2026-11-21T0") and shown(browser, TERMS) < 8


def test_a_finger_over_a_drawing_that_does_not_fit_moves_it(browser: Browser, address: str) -> None:
    browser.open(address, 400)
    browser.value("document.querySelector('svg.drawing').scrollIntoView()")
    x, y, _, _ = browser.value(BOX)
    browser.touch((x + 300, y + 150), (x + 200, y + 150))
    assert not browser.value("location.hash") and shown(browser, TERMS) == 8


def test_names_of_lanes_stay_in_view_on_a_phone(browser: Browser, address: str) -> None:
    browser.open(address, 400)
    names = "document.querySelector('svg .names')"
    assert browser.value(f"{names}.getAttribute('display')") == "none"
    browser.value("document.querySelector('.drawn').scrollLeft = 300")
    browser.value("document.querySelector('.drawn').dispatchEvent(new Event('scroll'))")
    assert browser.value(f"{names}.getAttribute('display')") == "inline"
    stand = ".filter(one => one.textContent).map(one => [one.textContent, Math.round(one.getBoundingClientRect().y)])"
    lanes = "[...document.querySelectorAll('svg.drawing > g:not(.names) > text:first-of-type')]"
    shown = browser.value(f"[...{names}.querySelectorAll('text')]{stand}")
    assert shown == browser.value(f"{lanes}{stand}") and len(shown) > 20
    first = browser.value(f"{names}.querySelector('text').getBoundingClientRect().x")
    assert 0 <= first < 40


def test_a_time_that_the_drawing_does_not_have_is_said(browser: Browser, address: str) -> None:
    browser.open(f"{address}#t=2020-01-01T00:00:00Z,2020-01-02T00:00:00Z")
    said = browser.value("document.querySelector('.range').textContent")
    assert "nothing of this time" in said and "Rows without a time stay in view" in said
    assert browser.value("document.querySelector('#imbalance summary .count').textContent") == (
        "all without a time: not narrowed"
    )


def test_a_click_on_a_finding_of_the_drawing_leads_to_its_text(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.value("document.querySelector('svg.drawing').scrollIntoView()")
    x, y, width, height = browser.value(BOX.replace("svg.drawing", "svg .found.warning"))
    place = (x + width / 2, y + height / 2)
    browser.drag(place, place)
    assert browser.value("location.hash") == "#F2"
    assert -1 < browser.value("document.getElementById('F2').getBoundingClientRect().top") < 400


def test_a_heading_sorts_and_words_are_looked_for(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.value("document.querySelectorAll('#terms th button')[1].click()")
    assert browser.value(FIRST) == "1"
    browser.value("document.querySelectorAll('#terms th button')[1].click()")
    assert browser.value(FIRST) == "3"
    browser.value(
        "(one => { one.value = 'CRASHED'; one.dispatchEvent(new Event('input')); })(document.querySelector('#terms input'))"
    )
    assert shown(browser, TERMS) == 3
    assert browser.value("document.querySelector('#terms summary .count').textContent") == "3 of 8 rows"


@pytest.mark.parametrize("width", [400, 1280])
def test_no_part_is_wider_than_the_window(browser: Browser, address: str, width: int) -> None:
    browser.open(address, width)
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_a_sheet_of_paper_is_wide_enough(browser: Browser, address: str) -> None:
    browser.ask("Emulation.setEmulatedMedia", media="print")
    browser.open(address, 720)
    assert browser.value("document.documentElement.scrollWidth") <= 720
    browser.ask("Emulation.setEmulatedMedia", media="")


def test_paper_has_the_list_and_what_is_critical(browser: Browser, address: str) -> None:
    browser.open(address)
    opened = "[...document.querySelectorAll('details[open]')].map(one => one.id || one.className)"
    browser.value("document.querySelector('#terms').open = true")
    browser.value("dispatchEvent(new Event('beforeprint'))")
    assert browser.value(opened) == ["F1", "group warning", "group info", "terms"]
    browser.value("dispatchEvent(new Event('afterprint'))")
    assert browser.value(opened) == ["terms"]


def choose(browser: Browser, place: int, value: str) -> None:
    """place: of the choices above the findings: severity, rule, broker, topic."""
    field = f"document.querySelectorAll('.filters select')[{place}]"
    browser.value(f"{field}.value = '{value}'; {field}.dispatchEvent(new Event('change'))")


@pytest.mark.parametrize(
    ("place", "value", "count"),
    [(0, "critical", 1), (1, "broker_flapping", 2), (2, "2", 2), (3, "audit_log", 10)],
)
def test_fields_narrow_the_findings(
    browser: Browser, address: str, place: int, value: str, count: int
) -> None:
    browser.open(address)
    choose(browser, place, value)
    assert shown(browser, FINDINGS) == count
    assert (
        browser.value("document.querySelector('#findings .count').textContent") == f"{count} of 24 findings"
    )
    choose(browser, place, "")
    assert shown(browser, FINDINGS) == 24
    assert browser.value("document.querySelectorAll('.group[open]').length") == 0


def test_a_link_shows_a_finding_that_fields_hide(browser: Browser, address: str) -> None:
    browser.open(address)
    is_hidden = "document.getElementById('F2').hidden"
    for _ in range(2):  # the address is the same the second time
        choose(browser, 0, "critical")
        assert browser.value(is_hidden)
        browser.value("""(one => { one.href = '#F2'; document.body.append(one); one.click(); one.remove(); })(
            document.createElement('a'))""")
        browser.value("new Promise(done => setTimeout(done))", is_awaited=True)
        assert not browser.value(is_hidden) and shown(browser, FINDINGS) == 24
    assert browser.value("document.getElementById('F2').open")
    choose(browser, 1, "broker_flapping")  # what is not hidden leaves the fields as they are
    browser.open(f"{address}#terms")
    assert shown(browser, FINDINGS) == 2


def test_a_broker_is_no_star(browser: Browser, address: str, tmp_path: Path) -> None:
    file = tmp_path / "star.html"
    page = Path(address.removeprefix("file://")).read_text(encoding="utf-8")
    file.write_text(page.replace('data-nodes="1 3"', 'data-nodes="*"', 1), encoding="utf-8")
    browser.open(file.as_uri())
    assert not browser.value(
        "[...document.querySelectorAll('.filters option')].some(one => one.value === '*')"
    )
    choose(browser, 2, "2")
    assert not browser.value("document.getElementById('F1').hidden")


def test_times_are_typed_as_a_clock_or_with_the_day(browser: Browser, address: str) -> None:
    browser.open(address)
    typed = "(one => { one.value = '%s'; one.dispatchEvent(new Event('change')); })(document.querySelectorAll('.moment')[%d])"
    browser.value(typed % ("8:58", 0))
    browser.value(typed % ("2026-11-21 08:58:20", 1))
    assert browser.value("location.hash") == "#t=2026-11-21T08:58:00.000Z,2026-11-21T08:58:20.000Z"
    assert shown(browser, TERMS) == 2
    browser.value(typed % ("noon", 0))
    assert browser.value("document.querySelector('.moment').getAttribute('aria-invalid')") == "true"
    assert shown(browser, TERMS) == 2


def test_keys_move_the_time_that_is_drawn(browser: Browser, address: str) -> None:
    browser.open(address)
    press = (
        "document.querySelector('svg.drawing').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{}' }}))"
    )
    for key, count in (("+", 3), ("ArrowLeft", 3), ("Escape", 8)):
        browser.value(press.format(key))
        assert (key, shown(browser, TERMS)) == (key, count)


def test_what_an_address_names_is_open(browser: Browser, address: str) -> None:
    browser.open(f"{address}#F9")
    assert browser.value(
        "document.getElementById('F9').open && document.getElementById('F9').parentElement.open"
    )
    assert -1 < browser.value("document.getElementById('F9').getBoundingClientRect().top") < 900
