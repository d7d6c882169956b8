"""The paper's algorithm: the minimax loss, solved by accelerated descent and ascent.

`ASGDA` evaluates every batch at the old and at the new point, so it takes a closure, as `torch.optim.LBFGS` does.
`diagnose` tells afterwards whether the inner variables are where they should be.
"""

import torch
from sklearn.datasets import load_digits

from pauci import ASGDA, PAUCILoss
from pauci.metrics import partial_auc_score


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    x, y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(digits == 8)
    torch.manual_seed(0)
    model, loss = torch.nn.Linear(64, 1), PAUCILoss(max_fpr=0.3)
    solver = ASGDA([{"params": list(model.parameters())}, *loss.param_groups()])
    for step in range(400):
        rows = torch.randint(0, 900, (300,))

        def closure(rows: torch.Tensor = rows) -> torch.Tensor:
            solver.zero_grad()
            value = loss(model(x[rows]), y[rows])
            value.backward()
            return value

        solver.step(closure)
        if step % 100 == 99:
            test = partial_auc_score(y[900:], model(x[900:]).detach().flatten(), max_fpr=0.3)
            print(f"step {step + 1}: {test:.3f} at FPR <= 0.3 on test images")
    print(loss.diagnose(model(x[:900]).detach(), y[:900]))


if __name__ == "__main__":
    main()
