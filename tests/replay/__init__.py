"""The replay proven: a naive judge, mutated machines, other people's replay, simulated clusters."""
