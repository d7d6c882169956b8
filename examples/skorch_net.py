"""Train for a region with skorch, inside scikit-learn.

A criterion with parameters of its own is trained along: skorch hands them to the optimiser. The region's width is an
ordinary hyper-parameter, here chosen by cross-validation with the matching scorer.
"""

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from skorch import NeuralNetBinaryClassifier

from pauci import PAUCILoss
from pauci.losses import CrossEntropyLoss, MixedLoss
from pauci.metrics import partial_auc_score, partial_auc_scorer


class Mixed(MixedLoss):
    """PAUCI and cross-entropy in equal parts; skorch sets `max_fpr`."""

    def __init__(self, max_fpr: float) -> None:
        super().__init__(PAUCILoss(max_fpr=max_fpr), CrossEntropyLoss(), weight=0.5)


def two_columns(logits: torch.Tensor) -> torch.Tensor:
    """Return the probabilities of both classes, as scikit-learn expects them."""
    return torch.sigmoid(torch.stack([-logits, logits], dim=1))


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    x, y = (images / 16).astype("float32"), (digits == 8).astype("float32")
    torch.manual_seed(0)
    net = NeuralNetBinaryClassifier(
        torch.nn.Linear,
        module__in_features=64,
        module__out_features=1,
        criterion=Mixed,
        criterion__max_fpr=0.15,
        predict_nonlinearity=two_columns,
        optimizer=torch.optim.AdamW,
        lr=0.03,
        batch_size=300,
        max_epochs=15,
        train_split=None,
        verbose=0,
    )
    search = GridSearchCV(
        net, {"criterion__max_fpr": [0.05, 0.15, 1.0]}, scoring=partial_auc_scorer(max_fpr=0.05), cv=3
    )
    search.fit(x[:900], y[:900])
    found = search.cv_results_
    for width, score in zip(found["param_criterion__max_fpr"], found["mean_test_score"], strict=True):
        print(f"trained on FPR <= {width:g}: {score:.3f} at FPR <= 0.05 in cross-validation")
    test = partial_auc_score(y[900:], search.predict_proba(x[900:])[:, 1], max_fpr=0.05)
    print(f"chosen {search.best_params_}: {test:.3f} on test images")


if __name__ == "__main__":
    main()
