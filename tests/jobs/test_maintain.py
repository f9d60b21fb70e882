"""What maintain says: a line for each table that changed, or that there was nothing to do."""

from jobs.maintain import size_change_lines
from pipeline.store.health.upkeep import Size

BEFORE = {"bronze.log_record": Size(12, 900_000, 1_500_000), "gold.finding": Size(1, 900, 2_000)}


def test_tables_that_changed_and_all_of_them() -> None:
    after = BEFORE | {"bronze.log_record": Size(1, 800_000, 1_000_000)}
    assert [*size_change_lines(BEFORE, after, 3, 7)] == [
        "MAINTAINED  1 of 2 tables changed",
        "  bronze.log_record             files 12 -> 1, 900.0 kB -> 800.0 kB; on disk 1.5 MB -> 1.0 MB",
        "  all tables                    files 13 -> 2, 900.9 kB -> 800.9 kB; on disk 1.5 MB -> 1.0 MB"
        "; segments expired: 3; runs from number 7 on are readable",
    ]


def test_files_that_went_are_a_change_though_the_table_is_the_same() -> None:
    after = BEFORE | {"gold.finding": Size(1, 900, 1_800)}
    said = [*size_change_lines(BEFORE, after, 0, 1)]
    assert said[1] == "  gold.finding                  files 1 -> 1, 900 B -> 900 B; on disk 2.0 kB -> 1.8 kB"
    assert "expired" not in "".join(said)


def test_nothing_to_do_is_one_line() -> None:
    after = BEFORE | {"gold.finding": Size(1, 900, 2_040)}  # with a note beside its log
    (said,) = size_change_lines(BEFORE, after, 0, 4)
    assert said == (
        "MAINTAINED  nothing to do: 2 tables, 13 files, 1.5 MB on disk; runs from number 4 on are readable"
    )
