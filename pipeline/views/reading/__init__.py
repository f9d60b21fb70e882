"""Reads the tables of one cluster, and records by their places."""
