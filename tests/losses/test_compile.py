"""`torch.compile` of a network together with its loss, for every loss."""

import copy

import pytest
import torch
from torch import nn

from losses.cases import CASES
from pauci.losses import PAUCILoss


class Step(nn.Module):
    """What a training step compiles: a network and its loss."""

    def __init__(self, loss):
        super().__init__()
        self.network = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        generator = torch.Generator().manual_seed(0)
        for part in self.network.parameters():
            nn.init.normal_(part, std=0.5, generator=generator)
        self.loss = loss

    def forward(self, x, positive, index):
        return self.loss(self.network(x), positive, index)


def batch(seed):
    """Always 24 rows, but another share of positives each time."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(24, 3, generator=generator)
    return x, torch.arange(24) < 5 + 3 * seed, torch.randint(0, 30, (24,), generator=generator)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CASES))
def test_network_and_loss_compile_together(name):
    torch.compiler.reset()
    graphs = []

    def count(graph, _):
        graphs.append(graph)
        return graph.forward

    eager = Step(CASES[name].build())
    step = copy.deepcopy(eager)
    compiled = torch.compile(step, backend=count, fullgraph=CASES[name].one_graph)
    for seed in range(4):
        for module in (eager, compiled):
            module.zero_grad()
            module(*batch(seed)).backward()
        torch.testing.assert_close([p.grad for p in step.parameters()], [p.grad for p in eager.parameters()])
        with torch.no_grad():
            torch.testing.assert_close(compiled(*batch(seed)), eager(*batch(seed)))
    torch.testing.assert_close(step.state_dict(), eager.state_dict())
    # Once for passes with gradients and once for those without, whatever the batches hold. Losses over pairs run
    # eagerly: of them the graph has nothing, of the network everything.
    targets = [str(node.target) for graph in graphs for node in graph.graph.nodes]
    assert sum("tanh" in target for target in targets) == 2
    if not CASES[name].one_graph:
        assert not any("searchsorted" in target or "argsort" in target for target in targets)


@pytest.mark.slow
def test_solving_for_inner_variables_stays_out_of_the_graphs():
    torch.compiler.reset()
    graphs = []

    def count(graph, _):
        graphs.append(graph)
        return graph.forward

    eager = Step(PAUCILoss(max_fpr=0.3, inner="solve"))
    step = copy.deepcopy(eager)
    compiled = torch.compile(step, backend=count)
    for seed in range(3):
        for module in (eager, compiled):
            module(*batch(seed)).backward()
    torch.testing.assert_close(step.state_dict(), eager.state_dict())
    torch.testing.assert_close([p.grad for p in step.parameters()], [p.grad for p in eager.parameters()])
    assert len(graphs) < 5  # before and behind it; a graph per number that the solver reads would be hundreds
