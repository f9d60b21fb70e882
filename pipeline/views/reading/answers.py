"""The questions that the first screen and the follow-up commands ask of the tables of one cluster."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

import polars as pl
from polars import col

from pipeline.core.conditions import (
    Condition,
    IsNull,
    column_before,
    column_differs,
    column_equals,
)
from pipeline.core.frames import empty_frame, frame_of
from pipeline.core.stored_tables import ReadableTables
from pipeline.model.partitions.topic_lives import ASKED, ENDED
from pipeline.model.terms.succession import printed_controller_epoch
from pipeline.rules.order import RULE_NAMES
from pipeline.rules.shared.clocks import with_clocks_of_next
from pipeline.views.reading.in_doubt import doubted_leaders, is_service_unknown, with_known_ratios
from pipeline.views.reading.placed_records import PlacedRecords
from pipeline.views.reading.rows import Place, Row
from pipeline.views.reading.times import holds_at
from schemas.gold.finding import SEVERITIES
from schemas.named import spec_of

IMBALANCE = (
    *("broker_id", "preferred_count", "led_elsewhere_count", "imbalance_ratio", "threshold_ratio"),
    *("limit_source", "check_interval_seconds", "is_auto_rebalance_enabled", "is_breach", "certainty"),
)
HELD = ("leader", "is_served", "is_deleting", "certainty", "replicas", "is_assignment_stale")

# Why records of server.log are not understood that nobody needs: of some only it has the wordings.
BESIDE = ("other_logger", "no_template")


class Answers:
    """Asks the tables as one run left them; each question reads the rows and columns that it needs."""

    def __init__(self, cluster_id: str, tables: ReadableTables) -> None:
        self.cluster_id, self.tables = cluster_id, tables

    def rows(
        self, name: str, condition: Condition | None = None, columns: Sequence[str] = ()
    ) -> pl.DataFrame:
        """Of a table the rows that meet the condition; all columns if none is named."""
        return frame_of(self.tables.read(spec_of(name), condition, columns or None))

    def has(self, name: str) -> bool:
        return self.tables.has_rows(spec_of(name))

    def is_built(self, name: str) -> bool:
        """A table that stays empty is built, too, where a nightly run of a release that has it published."""
        if self.has(name):
            return True
        if name not in getattr(self.tables, "versions", {}):
            return False
        runs = self.rows("ops.run", column_equals("outcome", "published"), ("job",))
        return "nightly" in runs["job"].to_list()

    @cached_property
    def segments(self) -> pl.DataFrame:
        """bronze.source_file."""
        return self.rows("bronze.source_file")

    def read(self, earlier: int = 0) -> Row:
        """Files, bytes, records, understood, first and last time of all that was ever read; new_from_at: the first
        time in segments after load_seq `earlier`, where there were segments before."""
        is_new = (col("load_seq") > earlier) & pl.lit(earlier > 0)
        return self.segments.select(
            files=col("file_id").n_unique(),
            bytes=col("record_bytes").sum(),
            records=col("record_count").sum(),
            understood=col("understood_count").sum(),
            first_at=col("first_logged_at").min(),
            last_at=col("last_logged_at").max(),
            new_from_at=col("first_logged_at").filter(is_new).min(),
            nodes=col("node_id").drop_nulls().unique().sort().implode(),
            zones=col("zone").unique().sort().implode(),
        ).row(0, named=True)

    def last_at(self) -> datetime | None:
        """The last time on any record, UTC."""
        found: datetime | None = self.read()["last_at"]
        return found

    def reasons(self) -> list[Row]:
        """Records not understood, by reason. is_beside: lines of server.log that are about other things."""
        name = "not_understood_reason"
        records = self.rows("bronze.log_record", ~IsNull(name), (name, "log"))
        is_beside = (col("log") == "server") & col(name).is_in(BESIDE)
        return records.group_by(name, is_beside=is_beside).agg(count=pl.len()).sort(name).to_dicts()

    def terms(self) -> list[Row]:
        """In their turn; controller_epoch is None where no line tells it."""
        return terms_in_turn(self.rows("gold.controller_term"))

    def terms_and_clocks(self) -> list[Row]:
        """The same with clock_low_ms, clock_high_ms: how far the clock of the next controller is ahead, as
        with_clocks_of_next() has it. It reads the clocks of all days."""
        seen = self.rows("gold.controller_term")
        skew = "gold.clock_skew"
        apart = self.rows(skew) if self.has(skew) else empty_frame(spec_of(skew))
        return terms_in_turn(with_clocks_of_next(seen, seen, apart))

    def findings(self) -> list[Row]:
        """Not retracted; those that are told first, then new and ongoing ones, then by severity and by the order of
        RULE_NAMES: their place is their number, F1, F2, ..."""
        found = self.rows("gold.finding", column_differs("status", "retracted"))
        is_known, is_over = col("suppressed_by").is_not_null(), col("status") == "resolved"
        ranks = (
            rank_in_order(name, order) for name, order in (("severity", SEVERITIES), ("rule", RULE_NAMES))
        )
        return found.sort(is_known, is_over, *ranks, "valid_from_at", "entity", "finding_id").to_dicts()

    def partitions_at_end(self) -> Row:
        """Of the partitions that exist at the end of the data: how many, of them how many that certainly nobody
        serves (offline), of which it is not known (service_unknown), held by another leader than the preferred one
        (elsewhere), of which leader or replicas are not known (unknown)."""
        columns = ("certainty", "is_assignment_stale", "is_served", "leader", "replicas", "is_deleting")
        is_in_doubt = col("certainty") == "undetermined"
        is_unsure = is_in_doubt | col("is_assignment_stale").fill_null(value=False)
        is_elsewhere = (col("leader") != col("replicas").list.first()) & ~is_unsure
        return (
            self.rows("gold.partition_timeline", holds_at(None), columns)
            .select(
                partitions=pl.len(),
                offline=(~col("is_served") & ~is_in_doubt).sum(),
                service_unknown=is_service_unknown().sum(),
                elsewhere=is_elsewhere.sum(),
                unknown=(is_unsure | col("leader").is_null() | col("replicas").is_null()).sum(),
            )
            .row(0, named=True)
        )

    def deleting(self) -> list[str]:
        """Topics queued for deletion and not yet deleted, in the last life of the metadata; who has deleted a topic may
        still say that it is put off."""
        order = ("logged_at", "byte_offset", "file_id")
        terms = self.rows("gold.controller_term", None, ("life", "elected_at"))
        is_of_last = (col("life") == col("life").max()) & (col("life") > 1)
        begun_at = terms.filter(is_of_last)["elected_at"].min()
        steps = self.rows("silver.topic_event", None, ("topic", "step", *order)).sort(order)
        steps = steps if begun_at is None else steps.filter(col("logged_at") >= begun_at)
        is_put_off = col("step") == "deletion_blocked"
        said = col("step").filter(col("step").is_in([*ASKED, *ENDED])).last()
        last = steps.group_by("topic").agg(said=said, is_put_off=is_put_off.any())
        is_open = col("said").is_in(ASKED).fill_null(col("is_put_off"))
        return last.filter(is_open)["topic"].sort().to_list()

    def brokers(self, at: datetime | None = None) -> list[Row]:
        """Imbalance of each broker at a time, or at the end of the data, with how many partitions it leads (leads: that
        it serves), and how many have it as leader in the controller's cache, which a dead broker stays in (cached).

        is_lead_doubted: it may lead more, or less, as who leads some partition is not known. Where no leader is known
        that is another, and lines are missing, led_elsewhere_count, imbalance_ratio and is_breach are null.
        """
        held = self.rows("gold.partition_timeline", holds_at(at), HELD)
        is_known = col("is_served").is_not_null().any()
        counts = {"leads": pl.when(is_known).then(col("is_served").sum()), "cached": pl.len()}
        is_held = (col("leader") >= 0) & ~col("is_deleting")
        led = held.filter(is_held).group_by(broker_id="leader").agg(**counts)
        ratio = self.rows("gold.leader_imbalance", holds_at(at), IMBALANCE)
        rows = ratio.join(led, on="broker_id", how="full", coalesce=True).sort("broker_id")
        known = with_known_ratios(rows, ("led_elsewhere_count", "imbalance_ratio", "is_breach"))
        doubted = doubted_leaders(held)
        return [
            one | {"is_lead_doubted": doubted is None or one["broker_id"] in doubted}
            for one in known.to_dicts()
        ]

    def departures(self, at: datetime | None = None) -> list[Row]:
        """Stays of brokers that had ended by then, or by the end of the data."""
        asked = None if at is None else column_before("left_at", at)
        return self.rows("gold.broker_session", asked).filter(col("left_at").is_not_null()).to_dicts()

    def timeline(self, topic: str, partition: int) -> list[Row]:
        """All intervals of a partition, every life of its topic, in order."""
        is_own = column_equals("topic", topic) & column_equals("partition", partition)
        return (
            self.rows("gold.partition_timeline", is_own)
            .sort("topic_life", "interval_seq", "part_seq")
            .to_dicts()
        )

    def partition_counts(self, limit: int = 1000) -> dict[str, int]:
        """Topics by name with how many partitions the timeline knows."""
        known = self.rows("gold.partition_timeline", None, ("topic", "partition"))
        counts = known.group_by("topic").agg(col("partition").n_unique()).sort("topic").head(limit)
        return dict(counts.iter_rows())

    def level(self) -> Row | None:
        """Of the newest term: whether state.change.logger wrote at TRACE, and the release of its replica machine."""
        columns = ("last_seen_at", "term_id", "is_trace_seen", "replica_machine")
        newest = self.rows("silver.term", None, columns).sort("last_seen_at", "term_id").tail(1)
        rows = newest.select(is_trace="is_trace_seen", machine="replica_machine").to_dicts()
        return rows[0] if rows else None

    def lines(self, places: Sequence[Row], shown: Sequence[Row] | None = None) -> dict[Place, Row]:
        """By (file_id, byte_offset): path, line number from 1, raw bytes: of those shown, else of all."""
        return PlacedRecords(self.tables, self.segments).lines(places, places if shown is None else shown)

    def records(self, places: Sequence[Row]) -> dict[Place, Row]:
        """By (file_id, byte_offset): path, node_id, zone of local times, raw bytes."""
        return PlacedRecords(self.tables, self.segments).records(places)


def rank_in_order(name: str, order: Sequence[str]) -> pl.Expr:
    """The place of a value in the order; others come first."""
    places = {value: place for place, value in enumerate(order, 1)}
    return col(name).replace_strict(places, default=0, return_dtype=pl.Int64)


def terms_in_turn(terms: pl.DataFrame) -> list[Row]:
    return terms.sort("life", "controller_epoch").with_columns(printed_controller_epoch()).to_dicts()
