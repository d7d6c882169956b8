"""Grids of training runs whose results become tables and figures."""
