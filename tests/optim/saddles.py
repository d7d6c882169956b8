"""Small minimax problems, and Algorithm 1 once more in plain numpy."""

import numpy as np
import torch

from pauci.optim import ASGDA, SinglePassASGDA

SOLVERS = [ASGDA, SinglePassASGDA]


def run_step(optimizer, objective, *, turned=()):
    """One step on `objective()`; parameters in `turned` get their gradient reversed, as a loss would do."""

    def closure():
        optimizer.zero_grad()
        loss = objective()
        loss.backward()
        for p in turned:
            p.grad.neg_()
        return loss

    return optimizer.step(closure)


class NoisyGame:
    """min over x, max over y of a random quadratic whose coefficients change with every batch."""

    def __init__(self, seed=0, size=4, steps=300):
        rng = np.random.default_rng(seed)
        self.curvature = 1 + rng.normal(size=(steps, size)) / 4
        self.shift = rng.normal(size=(steps, size))
        self.coupling = rng.normal(size=(steps, size))
        self.start = rng.uniform(-1, 1, size=size)

    def objective(self, t, x, y):
        curvature, shift, coupling = (torch.tensor(part[t]) for part in (self.curvature, self.shift, self.coupling))
        return (curvature * x**2 / 2 + shift * x).sum() + y * (coupling * x).sum() - y**2

    def gradients(self, t, x, y):
        """In x, and in y."""
        return self.curvature[t] * x + self.shift[t] + y * self.coupling[t], self.coupling[t] @ x - 2 * y

    def solve(self, steps, *, nu, lam, k, m, c1, c2, box_x, box_y, storm=True):
        """Algorithm 1, line by line; without `storm` the estimates are moving averages, renewed before the move."""
        x, y, v, w, path = self.start.copy(), 0.0, 0.0, 0.0, []
        for t in range(steps):
            eta = k / (m + t) ** (1 / 3)
            rho, xi = min(1, c1 * eta**2), min(1, c2 * eta**2)
            old_x, old_y = self.gradients(t, x, y)
            if not storm:
                v, w = (1 - rho) * v + rho * old_x, (1 - xi) * w + xi * old_y
            x = (1 - eta) * x + eta * np.clip(x - nu * v, *box_x)
            y = (1 - eta) * y + eta * np.clip(y + lam * w, *box_y)
            if storm:
                new_x, new_y = self.gradients(t, x, y)
                v, w = new_x + (1 - rho) * (v - old_x), new_y + (1 - xi) * (w - old_y)
            path.append(np.append(x, y))
        return np.array(path)
