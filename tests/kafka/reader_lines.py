"""A line of a controller and the record that it is."""

TIME = b"[2024-03-01 12:00:00,123] "


DONE = b"[Controller id=1 epoch=5] Changed partition t-0 state from NewPartition to OfflinePartition"


LINE = TIME + b"TRACE " + DONE + b" (state.change.logger)\n"
