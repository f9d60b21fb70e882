"""A backfill in spans of days: what a run has to read, cut into parts that are read, built and published in turn."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date

from pipeline.bronze.planning import FileSighting, Plan, Segment


def parts_by_days(planned: Plan, most_bytes: int) -> list[Plan]:
    """The plan in parts, in the order of time: each holds the segments that begin on the days of one span.

    A span is as many UTC days in a row as bring no more than most_bytes together, unpacked, and one day at least. A
    file is never cut: it goes where it begins, and one that goes on what was read before goes first. load_seq rises
    from part to part, as it does over nights; the sighting of a file goes with its segment, all others go first.
    """
    segments = sorted(planned.segments, key=lambda one: (begin_day(one), one.load_seq))
    spans = list(spans_of_days(size_by_day(segments), most_bytes))
    if len(spans) < 2:
        return [planned]
    span_of = {day: place for place, days in enumerate(spans) for day in days}
    load_seqs = sorted(one.load_seq for one in segments)
    parts: dict[int, list[Segment]] = defaultdict(list)
    for one, load_seq in zip(segments, load_seqs, strict=True):
        parts[span_of[begin_day(one)]].append(replace(one, load_seq=load_seq))
    sighted = sightings_by_part(planned.sightings, parts)
    return [Plan(tuple(parts[place]), tuple(sighted[place])) for place in range(len(spans))]


def begin_day(segment: Segment) -> date:
    """The day of its first record; the first of all where it is not known, or was read before."""
    begin = segment.looked.first_logged_at
    return (
        date.min if segment.start_offset or segment.reopens or begin is None else begin.astimezone(UTC).date()
    )


def size_by_day(segments: Sequence[Segment]) -> Mapping[date, int]:
    sizes: dict[date, int] = defaultdict(int)
    for one in segments:
        sizes[begin_day(one)] += one.limit - one.start_offset
    return sizes


def spans_of_days(sizes: Mapping[date, int], most_bytes: int) -> Iterator[list[date]]:
    """Days in order, in groups of no more bytes together; a day that has more stands alone."""
    span: list[date] = []
    for day in sorted(sizes):
        if span and sum(sizes[one] for one in span) + sizes[day] > most_bytes:
            yield span
            span = []
        span.append(day)
    if span:
        yield span


def sightings_by_part(
    sightings: Sequence[FileSighting], parts: Mapping[int, Sequence[Segment]]
) -> Mapping[int, list[FileSighting]]:
    """Before the content of a file is read, no sighting says that it is: copies of it wait for their part, too."""
    part_of = {one.file_id: place for place, segments in parts.items() for one in segments}
    found: dict[int, list[FileSighting]] = defaultdict(list)
    for one in sightings:
        found[part_of.get(one.file_id or "", 0)].append(one)
    return found


def span_text(part: Plan) -> str:
    """The days on which its files begin."""
    days = sorted({begin_day(one) for one in part.segments} - {date.min})
    return f"{days[0]} to {days[-1]}" if days else "what goes on"
