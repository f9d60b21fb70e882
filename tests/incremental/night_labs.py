"""Lab clusters that are read in nights."""

from pathlib import Path

WIPING = 20  # seconds


LABS = (
    *("0.11.0.3-zk-stock", "1.0.2-zk-stock", "2.2.2-zk-stock", "2.5.1-zk-stock", "2.6.3-zk-stock", "2.6.3-zk-trace"),
    *("3.2.3-zk-stock", "3.2.3-zk-trace", "3.9.1-zk-stock", "3.9.1-zk-trace", "3.3.2-kraft-combined-stock"),
    *("3.9.2-kraft-migration-stock", "3.9.2-kraft-separate-stock", "4.0.0-kraft-combined-stock"),
    *("4.3.1-kraft-combined-trace", "4.3.1-kraft-separate-stock", "4.4.0-kraft-separate-stock"),
    *("1.0.2-zk-moves", "2.2.2-zk-moves", "2.2.2-zk-redrive", "3.9.1-zk-moves", "3.9.1-zk-redrive"),
    *("3.9.2-kraft-separate-moves", "4.0.0-kraft-combined-moves", "2.5.1-zk-clocks", "2.6.3-zk-big"),
    *("3.9.1-zk-clients", "3.9.1-zk-clients-b", "4.0.0-kraft-separate-clients", "3.9.2-4.3.1-kraft-upgrade"),
)  # fmt: skip


def folder(shared: Path, name: str) -> Path:
    in_corpus = shared / "corpus" / "lab" / name
    return in_corpus if in_corpus.is_dir() else shared / "lab-runs" / name
