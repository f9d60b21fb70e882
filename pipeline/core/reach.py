"""How much of a cluster a row of a table needs: what may be computed apart, and so where."""

from enum import Enum


class Reach(Enum):
    """A kernel module declares it as REACH. What takes records alone is of reach ROW; where nothing is declared, a row
    may need all of its cluster."""

    ROW = "the record that it follows from"
    NODE = "the lines of one node, in order, beside what is small"
    PARTITION = "the rows of one topic, beside what is small"
    CLUSTER = "the rows of its cluster"
