"""How silver.controller_line follows the nights: the last line before a day of each term that goes on then is what the
lines after it are numbered and opened by."""

from datetime import datetime, timedelta

import polars as pl
from polars import col

from pipeline.core.conditions import column_before, column_since, is_in
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand
from pipeline.silver.controller_line import in_files, with_node_file_begin
from pipeline.silver.controller_line.causing import LISTED
from pipeline.silver.controller_line.marks import term_marks, unseen_election_marks_of_zookeeper
from schemas.bronze import log_record
from schemas.silver.controller_line import SPEC

NEAR = timedelta(days=2)
KEY = ("file_id", "load_seq", "byte_offset")
CARRIED_LINE = empty_frame(SPEC).with_columns(listed=pl.lit(None, pl.String))


def lines_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Per term that goes on at the day its last row of this table before it, with listed, the text that its
    listed_seq names.

    Looked for in the days before, and in all that is stored only for a term that was silent for so long.
    """
    names = terms_going_on(at_hand, start)
    near = last_term_lines(at_hand, names, start, after=start - NEAR)
    missing = sorted(set(names) - set(near["term_id"].to_list()))
    far = last_term_lines(at_hand, missing, start, after=None)
    return with_listed(at_hand, pl.concat([near, far]))


def terms_going_on(at_hand: TablesAtHand, start: datetime) -> list[str]:
    terms = at_hand.whole("term")
    known = terms.filter(col("first_seen_at") < start)
    named = known.filter(col("last_seen_at") >= start)["term_id"]
    stored = at_hand.stored(SPEC, column_since("ordered_at", start), ("term_id",))["term_id"]
    offices = offices_at(at_hand, terms, start)
    going_on = pl.concat([stored, offices]).unique()
    of_known = going_on.filter(going_on.is_in(known["term_id"].to_list()))
    return sorted(set(pl.concat([named, of_known]).drop_nulls().to_list()))


def offices_at(at_hand: TablesAtHand, terms: pl.DataFrame, start: datetime) -> pl.Series:
    """term_id: whose lines that name no epoch may be from the day on: of each node the term that its last segment
    before those that reach the day left it in, and all that these take it into by then; and each of ZooKeeper mode
    whose election is missing, which has no place in a file."""
    reaching = at_hand.segments_reaching(start)
    events = at_hand.whole("controller_step")
    seen = at_hand.whole("wording_seen")
    placed = with_node_file_begin(term_marks(events, terms), at_hand.source_files(), seen).with_columns(
        node=pl.coalesce("node_id", "controller_id"), is_reaching=col("load_seq").is_in(reaching)
    )
    earlier = placed.filter(~col("is_reaching")).sort(in_files(), nulls_last=False)
    left_in = earlier.unique(("cluster_id", "node"), keep="last", maintain_order=True)["mark"]
    taken = placed.filter(col("is_reaching") & (col("logged_at") < start))["mark"]
    unseen = unseen_election_marks_of_zookeeper(terms).filter(col("logged_at") < start).sort("logged_at")
    last_unseen = unseen.unique(("cluster_id", "controller_id"), keep="last")["mark"]
    found = pl.concat([left_in, taken, last_unseen])
    return found.filter(found != "")


def last_term_lines(
    at_hand: TablesAtHand, names: list[str], start: datetime, after: datetime | None
) -> pl.DataFrame:
    if not names:
        return empty_frame(SPEC)
    earlier = column_before("ordered_at", start) & is_in("term_id", names)
    if after is not None:
        earlier = earlier & column_since("ordered_at", after)
    rows = at_hand.stored(SPEC, earlier)
    return rows.sort("seq").unique(("cluster_id", "term_id"), keep="last", maintain_order=True)


def with_listed(at_hand: TablesAtHand, last: pl.DataFrame) -> pl.DataFrame:
    asked = last.filter(col("listed_seq").is_not_null())
    if asked.is_empty():
        return last.with_columns(listed=pl.lit(None, pl.String))
    named = is_in("term_id", asked["term_id"].to_list()) & is_in("seq", asked["listed_seq"].to_list())
    listing = at_hand.stored(SPEC, named, ("cluster_id", "term_id", "seq", *KEY))
    files, offsets = (listing[name].unique().sort().to_list() for name in ("file_id", "byte_offset"))
    places = is_in("file_id", files) & is_in("byte_offset", offsets)
    records = at_hand.stored(log_record.SPEC, places, (*KEY, "fields"))
    texts = listing.join(records, on=KEY).select(
        "cluster_id", "term_id", listed_seq="seq", listed=col("fields").map.get(LISTED)
    )
    return last.join(texts, on=("cluster_id", "term_id", "listed_seq"), how="left")


INCREMENTAL = Incremental(
    ordered_by="ordered_at",
    carried={"line_before": CarriedState(lines_before, CARRIED_LINE)},
)
