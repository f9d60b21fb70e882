"""What executors do for the intake of a run, where the night is too big for the driver."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from pipeline.bronze.file_look import Wanted
from pipeline.kafka.reading.masking import Masking

Fact = dict[str, Any]
Range = Mapping[str, Any]


class IntakeExecutors(Protocol):
    """Look into files and read them where they run; what they read goes into bronze.log_record."""

    def look(self, rows: Sequence[Fact], wanted: Wanted) -> list[Fact]:
        """What a look says of each file. rows: what pipeline.bronze.file_look.look takes."""

    def read(self, ranges: Sequence[Range], masking: Masking | None) -> None:
        """Adds the records of ranges, as pipeline.bronze.log_record.records_of gives them."""

    def reparse(self, files: pa.Table) -> None:
        """All stored records understood anew. files: rows of bronze.source_file with the zones of now."""
