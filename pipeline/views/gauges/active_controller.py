"""On which node the gauge ActiveControllerCount was 1, on which 0, and when nothing tells."""

from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import TIME
from pipeline.views.gauges.gauge_steps import GaugeWindow, known_value_steps, sum_weights
from pipeline.views.reading.answers import Answers
from pipeline.views.terms.tenures import KRAFT, ZOOKEEPER

STARTS = ("starting", "created", "started")
OWN = ("observed", "elected", "renounced", "tasks_activated", "tasks_deactivated", *STARTS)


def active_controller_steps(
    answers: Answers, terms: pl.DataFrame, window: GaugeWindow
) -> dict[int, pl.DataFrame]:
    """Steps by node: 1 from its election to its resignation, also while another one is in office already; 0 else, while
    it is known to run. A process that ended gives no value, and one of which nothing is known gives none."""
    own = terms.select(node_id="controller_id", from_at="began_at", until_at="until_at")
    running = pl.concat([own, live_broker_spans(answers), standby_spans(answers, terms)]).drop_nulls(
        ("node_id", "from_at")
    )
    found = {}
    for node in running["node_id"].unique().sort():
        of_node = own.filter(col("node_id") == node).with_columns(weight=lit(1, pl.Int64))
        steps = sum_weights(of_node, window).with_columns(col("value").clip(0, 1))
        found[node] = known_value_steps(steps, running.filter(col("node_id") == node), None, window)
    return found


def live_broker_spans(answers: Answers) -> pl.DataFrame:
    """ZooKeeper mode: while a node is live as a broker, up to when it may have stopped."""
    columns = ("broker_id", "mode", "joined_at", "left_at", "silent_from_at")
    rows = answers.rows("gold.broker_session", None, columns).filter(col("mode") == ZOOKEEPER)
    ends = pl.max_horizontal("joined_at", pl.coalesce("silent_from_at", "left_at"))
    until = when(col("left_at").is_not_null()).then(ends)
    return rows.select(node_id="broker_id", from_at="joined_at", until_at=until)


def standby_spans(answers: Answers, terms: pl.DataFrame) -> pl.DataFrame:
    """KRaft: from the lines by which a controller follows the quorum, to the next one; a process that started anew
    after it ran until its last line at least, and so did the last one of all."""
    if not any(one == KRAFT for one in terms["mode"]):
        return pl.DataFrame(schema={"node_id": pl.Int32, "from_at": TIME, "until_at": TIME})
    began_at: datetime = terms.filter(col("mode") == KRAFT)["began_at"].min()  # type: ignore[assignment]  # a time, as there are rows
    events = answers.rows("silver.controller_step", None, ("node_id", "logged_at", "step"))
    of_nodes = events.filter(col("step") == "observed")["node_id"].unique()
    lines = events.filter(col("node_id").is_in(of_nodes.to_list())).sort("node_id", "logged_at")
    ends = answers.segments.group_by("node_id").agg(end_at=col("last_logged_at").max())
    is_start, is_next_start = col("step").is_in(STARTS), col("step").shift(-1).over("node_id").is_in(STARTS)
    following = col("logged_at").shift(-1).over("node_id")
    return (
        lines.join(ends, on="node_id", how="left")
        .with_columns(until_at=when(~is_next_start).then(following).when(following.is_null()).then("end_at"))
        .filter(~is_start, col("until_at") > col("logged_at"), col("until_at") > lit(began_at))
        .select("node_id", from_at="logged_at", until_at="until_at")
    )
