"""`pauci study`: measurements behind the tables and figures."""

import typer

from pauci.cli.study_cost import cost
from pauci.cli.study_paper import paper
from pauci.cli.study_tabular import tabular

study_app = typer.Typer(
    name="study", help="Run a study: the measurements behind tables and figures.", no_args_is_help=True
)
study_app.command()(paper)
study_app.command()(tabular)
study_app.command()(cost)
