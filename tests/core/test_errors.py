"""Every way to fail has its own exit code, and the table says so."""

from pipeline.core.errors import EXIT_CODES, GateFailed, PipelineError


def test_the_table_lists_every_error_once() -> None:
    codes = [row.code for row in EXIT_CODES]
    assert codes == sorted(set(codes))
    # 1 is a fault of the program: what raises it by a sentence of its own is one, too.
    assert {error.exit_code for error in PipelineError.__subclasses__()} - {1} == set(codes) - {0, 1}


def test_an_error_is_one_sentence() -> None:
    said = str(GateFailed(expected="0 rows without time", found="3", todo="look at ops.quality_result"))
    assert said == "Expected 0 rows without time, found 3; look at ops.quality_result."
