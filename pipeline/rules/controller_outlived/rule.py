"""The rule controller_outlived."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.causes import because_clause, cause_facts, with_cause_lines
from pipeline.rules.shared.clocks import with_clocks_of_next
from pipeline.rules.shared.limits import OVERLAP
from pipeline.rules.shared.terms import WROTE, is_late, of_term, with_reason_lines
from pipeline.rules.shared.wording import (
    controller_name,
    counted_noun,
    duration_text,
    filled_text,
    severity_column,
)

NORMAL = "resignation_tail"  # it heard of the next one and did nothing but resign
# The times of two nodes are compared: their clocks may be apart by seconds.
CLOCKS_MS = 5_000


@made_of_rows("controller_term")
def find(controller_term: pl.DataFrame, clock_skew: pl.DataFrame, overlap_ms: int) -> pl.DataFrame:
    """A controller acted long after the next one was elected: two at once. That it only resigns so late is what any
    does that was frozen; that it wrote is another rule's. In KRaft nothing that it does then takes effect, as most of
    the quorum follows the next one (Raft): it is told, no more.

    From 2.1 on (epoch_zk_version) ZooKeeper refuses what a deposed controller writes: where writes went through, the
    clocks differ, and it was in office. Below CLOCKS_MS it is inferred. Where lines bound how far the clocks are apart
    (gold.clock_skew), what they may explain is no finding.
    """
    least_ms = -col("gap_ms") + col("clock_low_ms").fill_null(0)
    # Times are cut to milliseconds.
    apart_ms = pl.max_horizontal(col("clock_low_ms").abs(), col("clock_high_ms").abs(), 1)
    is_bounded = col("clock_low_ms").is_not_null() & col("clock_high_ms").is_not_null()
    is_kraft, is_near = col("mode") == "kraft", -col("gap_ms") < CLOCKS_MS
    is_by_clocks = ~is_kraft & col("epoch_zk_version").is_not_null() & (col("writes_after_count") > 0)
    is_of_another = col("overlap").is_in([NORMAL, WROTE]) | (col("acts_after_count") == 0)
    is_of_another_rule = ~is_kraft & is_of_another.fill_null(value=False)
    writes = col("writes_after_count")
    did = (
        when(is_kraft)
        .then(lit("harmless: in KRaft nothing that it did in between takes effect"))
        .when(writes > 0)
        .then(filled_text("{} after", counted_noun("writes_after_count", "write")))
        .when(writes.is_null())
        .then(lit("whether it wrote is not known"))
        .when(col("overlap") == "zombie_talked").then(lit("no write seen, but requests to brokers"))
        .otherwise(lit("no write seen"))
    )  # fmt: skip
    sentence = filled_text(
        "{} {} {} after the next controller was elected{}{}; {}",
        *(controller_name(), when(is_kraft).then(lit("gave up")).otherwise(lit("resigned"))),
        *(
            duration_text(-col("gap_ms")),
            when(is_near & is_bounded)
            .then(filled_text(", by clocks at most {} apart", duration_text(apart_ms)))
            .when(is_near)
            .then(lit(", if their clocks agree"))
            .otherwise(lit("")),
        ),
        *(because_clause("superseded_at"), did),
    )
    named = severity_column(when(is_kraft).then(lit("info")).otherwise(lit("warning")))
    is_known = ~is_kraft | col("overlap").is_not_null()
    is_so = is_late(overlap_ms) & is_known & ~is_of_another_rule & ~is_by_clocks.fill_null(value=False)
    certainty = when(is_near & (col("certainty") == "proved")).then(lit("inferred")).otherwise("certainty")
    terms = with_reason_lines(controller_term).pipe(with_clocks_of_next, controller_term, clock_skew)
    late = terms.filter(is_so & (least_ms > overlap_ms)).with_columns(certainty=certainty)
    told = {"late_ms": -col("gap_ms"), "writes_count": writes, "overlap": col("overlap")} | cause_facts()
    evidence = with_cause_lines(col("evidence"))
    return of_term(late, named, sentence, ("superseded_at", "ended_at"), evidence, **told)


RULE = Rule(
    name="controller_outlived",
    version=5,
    severities=("warning", "info"),
    facts=(
        "controller_id",
        "controller_epoch",
        "late_ms",
        "writes_count",
        "overlap",
        "end_reasons",
        "first_sign_ms",
    ),
    find=find,
    limits=(OVERLAP,),
)
