"""Grids of runs and measurements whose results become tables and figures."""
