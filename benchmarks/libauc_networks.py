"""Networks trained by LibAUC and by pauci, for `against_libauc.py`, which says how they are compared."""

import numpy as np
import torch
from libauc.losses import auc
from libauc.optimizers import PESG, SOPA, SOPAs
from libauc.sampler import DualSampler
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import StandardScaler
from torch import nn

from pauci import PAUCILoss, partial_auc_score
from pauci.losses import CrossEntropyLoss, MixedLoss
from pauci.models import MLP
from pauci.studies.paired import mean_over_cells, paired_comparison
from pauci.studies.tabular.sets import find_sets, load_set
from pauci.studies.tabular.splits import deal, halves

REGIONS = (0.05, 0.3)
BATCH, POSITIVE_SHARE, FEWEST_POSITIVES = 256, 0.2, 50


def cross_entropy(model, _y, rate, _):
    loss = nn.BCEWithLogitsLoss()
    return torch.optim.Adam(model.parameters(), lr=rate), lambda z, y, _: loss(z, y)


def sopa(model, y, rate, beta):
    loss = auc.pAUC_CVaR_Loss(len(y), int(y.sum()), beta=beta, device="cpu")
    return SOPA(model.parameters(), lr=rate, device="cpu"), lambda z, y, rows: loss(z.sigmoid(), y, rows)


def sopa_s(model, y, rate, temperature):
    loss = auc.pAUC_DRO_Loss(len(y), Lambda=temperature, device="cpu")
    return SOPAs(model.parameters(), lr=rate, device="cpu"), lambda z, y, rows: loss(z.sigmoid(), y, rows)


def aucm(model, _y, rate, mode):
    loss = auc.AUCMLoss(version="v2", device="cpu")
    optimiser = PESG(model.parameters(), loss_fn=loss, lr=rate, mode=mode, verbose=False, device="cpu")
    return optimiser, lambda z, y, _: loss(z.sigmoid(), y)


def mixed(model, _y, rate, max_fpr):
    loss = MixedLoss(PAUCILoss(max_fpr=max_fpr), CrossEntropyLoss(), weight=0.5)
    groups = [{"params": model.parameters()}, *loss.param_groups()]
    return torch.optim.Adam(groups, lr=rate), lambda z, y, _: loss(z, y)


def grid(*choices):
    return [(rate, choice) for choice in choices for rate in (1e-3, 3e-3, 1e-2)]


#: What trains, and its settings: learning rate, and share of positives (None is theirs), region, temperature or mode.
METHODS = {
    "cross-entropy": (cross_entropy, grid(None, POSITIVE_SHARE)),
    "LibAUC SOPA": (sopa, grid(0.1, 0.3)),
    "LibAUC SOPA-S": (sopa_s, grid(0.1, 1.0)),
    "LibAUC AUC-M, PESG": (aucm, [(0.03, "sgd"), (0.1, "sgd"), (0.3, "sgd"), *grid("adam")]),
    "pauci PAUCI + CE": (mixed, grid(0.1, 0.3)),
}


def compare_networks(folder, *, splits, steps):
    found = {}
    for name, X, y, groups in tables(folder):
        for split in range(splits):
            for key, value in judged(X, y, groups, split, steps):
                found.setdefault(key, {}).setdefault(name, []).append(value)
    print(f"\ntest partial AUC minus that of cross-entropy, {splits} splits, {steps} steps of up to {BATCH} rows")
    print("mean [over splits, which share rows] [over the means of tables]")
    for max_fpr in REGIONS:
        reference = found["cross-entropy", max_fpr]
        level = np.mean([np.mean(values) for values in reference.values()])
        print(f"fpr<={max_fpr}, cross-entropy has {level:.4f}")
        for method in list(METHODS)[1:]:
            gains = {name: np.subtract(values, reference[name]) for name, values in found[method, max_fpr].items()}
            means = {name: float(gain.mean()) for name, gain in gains.items()}
            both = mean_over_cells(gains), paired_comparison(list(means.values()))
            intervals = " ".join(f"[{each.low:+.4f}, {each.high:+.4f}]" for each in both)
            tables_ = ", ".join(f"{name} {gain:+.3f}" for name, gain in means.items())
            print(f"  {method:18} {both[0].difference:+.4f} {intervals}  {tables_}")


def tables(folder):
    if folder is not None:
        sets = map(load_set, find_sets([folder]).values())
        yield from ((data.name, data.X, data.y, data.groups) for data in sets if data.y.sum() >= FEWEST_POSITIVES)
        return
    for name, load, positive in (("breast_cancer", load_breast_cancer, 0), ("digit_8", load_digits, 8)):
        X, y = load(return_X_y=True)
        yield name, X, (y == positive).astype(np.int64), np.arange(len(y))


def judged(X, y, groups, split, steps):
    """Test partial AUC of every method and region, with the setting that is best on the validation part."""
    train, test = halves(y, groups, split)
    part = deal(y[train], np.unique(groups[train], return_inverse=True)[1], 3, seed=split)
    fitted, held_out = train[part > 0], train[part == 0]
    X = torch.from_numpy(StandardScaler().fit(X[fitted]).transform(X).astype(np.float32))
    data = X[fitted], torch.from_numpy(y[fitted]).float()
    batches = {share: drawn(y[fitted], share, steps, seed=split) for share in (None, POSITIVE_SHARE)}
    for method, (make, settings) in METHODS.items():
        models = []
        for rate, choice in settings:
            torch.manual_seed(split)
            model = MLP(X.shape[1])
            share = choice if make is cross_entropy else POSITIVE_SHARE
            train_network(model, *make(model, data[1], rate, choice), *data, batches[share])
            models.append(model.eval())
        scores = [model(X[held_out]).detach() for model in models]
        for max_fpr in REGIONS:
            values = [partial_auc_score(y[held_out], s, max_fpr=max_fpr) if s.isfinite().all() else 0 for s in scores]
            tested = models[np.argmax(values)](X[test]).detach()
            yield (method, max_fpr), float(partial_auc_score(y[test], tested, max_fpr=max_fpr))


def drawn(y, share, steps, *, seed):
    """Rows of every batch, with a share of positives in each, or else from all rows alike."""
    size = min(BATCH, len(y) // 4)
    rng = np.random.default_rng(seed)
    sampler = DualSampler(None, size, labels=y, sampling_rate=share or 0.5, random_seed=seed)
    order = []
    while len(order) < steps * size:
        order.extend(sampler if share else rng.permutation(len(y)))
    return torch.tensor(order[: steps * size]).reshape(steps, size)


def train_network(model, optimiser, loss, X, y, batches):
    falls = len(batches) // 2, 3 * len(batches) // 4
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimiser, falls, gamma=0.1)
    for step, rows in enumerate(batches, 1):
        optimiser.zero_grad()
        loss(model(X[rows]), y[rows], rows).backward()
        optimiser.step()
        schedule.step()
        if step in falls and isinstance(optimiser, PESG):
            optimiser.update_regularizer()
