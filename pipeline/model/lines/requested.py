"""Partitions that somebody asks something for, as the znode of the request names them."""

import json
from typing import Any

import polars as pl

REQUESTED = pl.List(pl.Struct({"topic": pl.String, "partition": pl.Int32, "wanted": pl.List(pl.Int32)}))
INT_LIMIT = 2**31


def requested_partitions(text: pl.Expr) -> pl.Expr:
    """(topic, partition, wanted) of `{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2]}]}`.

    A text of another form gives one element of nulls, so that its row stays. A loop over texts: up to 0.10.2 a line a
    request holds one.
    Source: znodes /admin/reassign_partitions, and /admin/preferred_replica_election without replicas.
    """
    return text.map_batches(all_parsed, return_dtype=REQUESTED)


def all_parsed(texts: pl.Series) -> pl.Series:
    return pl.Series(texts.name, [parse_request(text) for text in texts], dtype=REQUESTED)


def parse_request(text: str | None) -> list[dict[str, Any]]:
    try:
        request = json.loads(text or "")
    except (ValueError, RecursionError):
        return [request_element(None)]
    elements = request.get("partitions") if isinstance(request, dict) else None
    return (
        [request_element(one) for one in elements] if isinstance(elements, list) else [request_element(None)]
    )


def request_element(said: object) -> dict[str, Any]:
    """What one element says; null what is not of its type."""
    values = said if isinstance(said, dict) else {}
    topic, partition, replicas = (values.get(name) for name in ("topic", "partition", "replicas"))
    is_list = isinstance(replicas, list) and all(map(is_id, replicas))
    return {
        "topic": topic if isinstance(topic, str) else None,
        "partition": partition if is_id(partition) else None,
        "wanted": replicas if is_list else None,
    }


def is_id(value: object) -> bool:
    return type(value) is int and -INT_LIMIT <= value < INT_LIMIT
