"""Train for a region in an ordinary PyTorch loop.

The digit 8 against the other digits, with a linear model, once with cross-entropy and once with cross-entropy and PAUCI
in equal parts. Nothing but the loss differs: no sampler, no dataset index, no special optimiser.
"""

import torch
from sklearn.datasets import load_digits
from torch import nn

from pauci import MixedLoss, PAUCILoss
from pauci.losses import CrossEntropyLoss
from pauci.metrics import compare_partial_auc, partial_auc_score


def fit(loss: nn.Module, x: torch.Tensor, y: torch.Tensor) -> nn.Module:
    torch.manual_seed(0)
    model = nn.Linear(x.shape[1], 1)
    groups = [{"params": list(model.parameters()), "weight_decay": 0.1}, {"params": list(loss.parameters())}]
    optimizer = torch.optim.AdamW(groups, lr=0.03, weight_decay=0.0)
    for _ in range(30):
        for rows in torch.randperm(len(x)).split(300):
            optimizer.zero_grad()
            loss(model(x[rows]), y[rows]).backward()
            optimizer.step()
    return model


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    x, y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(digits == 8)
    train, test = slice(0, 900), slice(900, None)
    scores = {}
    for name, loss in {
        "cross-entropy": CrossEntropyLoss(),
        "PAUCI + cross-entropy": MixedLoss(PAUCILoss(max_fpr=0.15), CrossEntropyLoss(), weight=0.5),
    }.items():
        scores[name] = fit(loss, x[train], y[train])(x[test]).detach().flatten()
        print(f"{name}: {partial_auc_score(y[test], scores[name], max_fpr=0.05):.3f} at FPR <= 0.05")
    gain = compare_partial_auc(y[test], scores["PAUCI + cross-entropy"], scores["cross-entropy"], max_fpr=0.05)
    print(f"paired difference: {gain.difference:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]")


if __name__ == "__main__":
    main()
