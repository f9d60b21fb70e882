"""What a person should look at: the findings of all rules, grouped by their root event."""

from collections.abc import Mapping
from hashlib import sha256
from inspect import Parameter, Signature
from typing import Any

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.gold.finding.candidates import CANDIDATES
from pipeline.rules.known import with_suppressed
from pipeline.rules.registry import INPUTS, OF_CONNECTIONS, find_by_rules
from schemas.gold.finding import SPEC

NAME = ("cluster_id", "rule", "entity", "root_event", "term_id")
NAME_DIGITS = 12
# What the kernel takes beside the inputs of the rules.
OWN = ("published_finding", "reported_finding", "span")
PARTIALS = tuple(CANDIDATES.values())
TAKEN = tuple(CANDIDATES[one].__name__ if one in CANDIDATES else one for one in INPUTS)


def build(**given: Any) -> pl.DataFrame:
    """One row per finding; a healthy cluster has none.

    given: the inputs of all rules by name, of those in CANDIDATES what gives the rows that can become a finding;
    connection_event in the span. data_end: (cluster_id, until_at), until when what is still so at the end goes on.
    published_finding: gold.finding as published before this run. reported_finding: what of it a screen has told, which
    decides new, ongoing, resolved, retracted.
    """
    known = given | {table: given[one.__name__] for table, one in CANDIDATES.items()}
    return findings_of_run(find_by_rules(known), known)


def findings_of_run(found: pl.DataFrame, given: Mapping[str, Any]) -> pl.DataFrame:
    """Rows of gold.finding: findings of rules with what a run adds to them."""
    return (
        found.pipe(with_suppressed, given["audit_limit"].suppressions)
        .pipe(with_id)
        .pipe(with_votes_before, given["published_finding"], given["span"])
        .pipe(with_status, given["reported_finding"])
    )


# The wiring of tables reads the signature.
vars(build)["__signature__"] = Signature(
    [Parameter(name, Parameter.KEYWORD_ONLY) for name in (*TAKEN, *OWN)], return_annotation=pl.DataFrame
)


def with_id(found: pl.DataFrame) -> pl.DataFrame:
    """Adds finding_id, which is the same as long as NAME is."""
    names = found.select(pl.concat_str(NAME, separator="|", ignore_nulls=True)).to_series()
    digests = [sha256(name.encode()).hexdigest()[:NAME_DIGITS] for name in names]
    return found.with_columns(pl.Series("finding_id", digests, pl.String))


def with_votes_before(found: pl.DataFrame, published_finding: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Who did not answer in times without a leader, or out of reach of the quorum, that began before the span, as it
    was published once they were over: lines of connections of that time are not given."""
    if span.is_all:
        return found
    told = ["sentence", "facts", "evidence"]
    is_over = span.before("valid_from_at") & col("valid_until_at").is_not_null()
    key = ["finding_id", "valid_until_at"]
    over = published_finding.filter(col("rule").is_in(OF_CONNECTIONS), is_over).select(*key, *told)
    return found.update(over, on=key, how="left") if not over.is_empty() else found


def with_status(found: pl.DataFrame, reported_finding: pl.DataFrame) -> pl.DataFrame:
    """new, ongoing, resolved; what was told and is found no more stays as retracted."""
    status = (
        when(~col("finding_id").is_in(reported_finding["finding_id"].to_list()))
        .then(lit("new"))
        .when(col("valid_until_at").is_null())
        .then(lit("ongoing"))
        .otherwise(lit("resolved"))
    )
    now = found.with_columns(status=status).select(SPEC.columns)
    gone = reported_finding.join(now, on="finding_id", how="anti")
    retracted = gone.with_columns(status=lit("retracted")).select(SPEC.columns)
    return pl.concat([now, retracted])
