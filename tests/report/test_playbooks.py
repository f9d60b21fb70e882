"""What to do stands beside each finding of a page, the steps of its rule once, all of it made of elements."""

from datetime import UTC, datetime

from jobs.playbook.markdown import parse_markdown, plain_markdown
from jobs.playbook.pages import playbook_page, what_to_do
from jobs.questions.window import Window
from jobs.report import page as whole
from jobs.report.elements import join_markup
from jobs.report.playbooks import part_of
from jobs.report.told import cluster_report
from pipeline.views.reading.answers import Answers
from tests.report.reading import read

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
LIST = """\
1. Look, `a < b`:
   ```
   kafka-topics.sh <x>
     --describe
   ```
   Then **wait, `c`**.
   At `2`.
   - not *long*
   - or [KIP-1](https://x.y/z)
2. Go on.

Prose <b>.
```
left
```
- other
"""


def test_a_page_is_made_of_elements() -> None:
    assert join_markup(map(part_of, parse_markdown(LIST).children)) == (
        '<ol><li value="1">Look, <code>a &lt; b</code>:<pre>kafka-topics.sh &lt;x&gt;\n  --describe</pre>'
        "Then <strong>wait, <code>c</code></strong>.<br>At <code>2</code>."
        "<ul><li>not <em>long</em></li><li>or KIP-1 (https://x.y/z)</li></ul></li>"
        '<li value="2">Go on.</li></ol><p>Prose &lt;b&gt;.</p><pre>left</pre><ul><li>other</li></ul>'
    )


def test_each_finding_has_what_to_do_and_its_rule_the_steps_once(sample_answers: Answers) -> None:
    for place, count in ((1, 1), (2, 3)):
        told = cluster_report(sample_answers, Window(), "off", is_stored=True)
        root = read(whole.html_page([whole.cluster_section(told, place, count)], AT))
        cards = root.all("details", class_="finding")
        findings = sample_answers.findings()
        assert len(cards) == len(findings)
        for card, one in zip(cards, findings, strict=True):
            said = what_to_do(one["rule"], is_open=one["valid_until_at"] is None)
            assert said and said in [each.text for each in card.all("p")]
        steps = [str(card.attributes["id"]) for card in cards if card.all("details", class_="steps")]
        rules = {
            one["rule"]: str(card.attributes["id"])
            for card, one in reversed([*zip(cards, findings, strict=True)])
        }
        assert sorted(steps) == sorted(rules.values())
        links = [
            (link.attributes["href"], one["rule"])
            for card, one in zip(cards, findings, strict=True)
            for note in card.all("p", class_="note")
            for link in note.all("a")
            if link.attributes.get("class") != "self"
        ]
        assert len(links) == len(cards) - len(steps)
        assert all(href == f"#{rules[rule]}" for href, rule in links)


def test_the_steps_are_those_of_the_page(sample_answers: Answers) -> None:
    told = cluster_report(sample_answers, Window(), "off", is_stored=True)
    root = read(whole.html_page([whole.cluster_section(told)], AT))
    (first,) = root.all("details", id="F1")
    (steps,) = first.all("details", class_="steps")
    found = playbook_page("unclean_election")
    assert found is not None
    items = [
        plain_markdown(one)
        for steps in found.part("What to do")
        for one in steps.children
        if one.type == "list_item"
    ]
    shown = [one.text for one in steps.all("li")]
    assert items and all(any(text.startswith(item.replace("'", "")[:20]) for text in shown) for item in items)
    assert "kafka-controller-audit playbook unclean_election" in steps.text
