"""How the cost study looks in a terminal."""

from collections.abc import Callable, Sequence

from rich.table import Table

from pauci.cli.terminal import Terminal
from pauci.studies.cost import Cost
from pauci.studies.cost_targets import Target


def print_costs(costs: Sequence[Cost], targets: Sequence[Target]) -> None:
    """Print two tables per region and kind of pass, and which promises were kept."""
    console = Terminal(markup=True)
    for region, passes in dict.fromkeys((cost.region, cost.passes) for cost in costs):
        part = [cost for cost in costs if (cost.region, cost.passes) == (region, passes)]
        console.print(_table(f"{region}, {passes}: milliseconds, median and quartiles", part, _time))
        console.print(_table(f"{region}, {passes}: ratio to CE", part, lambda cost: f"{cost.ratio:.1f}"))
    for target in targets:
        mark = "[green]kept[/green]" if target.met else "[red]missed[/red]"
        console.print(f"{mark}  {target.promise}: {target.worst:.2f}, at most {target.limit:.2f}")


def _time(cost: Cost) -> str:
    return f"{cost.milliseconds:.3g} [dim]({cost.low:.3g}-{cost.high:.3g})[/dim]"


def _table(title: str, costs: Sequence[Cost], cell: Callable[[Cost], str]) -> Table:
    sizes = list(dict.fromkeys(cost.size for cost in costs))
    table = Table(title=title, title_justify="left")
    table.add_column("loss")
    for size in sizes:
        table.add_column(str(size), justify="right")
    for method in dict.fromkeys(cost.method for cost in costs):
        cells = {cost.size: cell(cost) for cost in costs if cost.method == method}
        table.add_row(method, *(cells[size] for size in sizes))
    return table
