"""Studies: grids of measurements behind the tables and figures."""
