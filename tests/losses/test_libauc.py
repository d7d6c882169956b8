"""Gradients and state against LibAUC, where it is installed.

Gradients and thresholds agree. What differs, and why:

- Values. LibAUC returns the surrogate whose gradient it needs (SOPA: mean p l / beta); ours is the objective itself
  (mean s + (l - s)_+ / beta), which can be compared between epochs and falls while training.
- The first visit of SOPA-S and SOTA-s. LibAUC averages the first value with 0, so that weights start 1/gamma too large;
  ours takes the first value as it is. Here both begin with a state that was visited before.
- Duplicates in a batch. LibAUC keeps the last write; ours the mean. Here indices are distinct.
- Scores. LibAUC takes what it is given (its examples apply a sigmoid); ours applies it unless ``from_logits=False``.
- AUC-M. Version v1 gives p (1 - p) times our gradient, p being the batch's positive share, or `imratio` with
  ``auto=False``. Version v2 subtracts the mean of the positives inside the mean over the negatives.
- The focal loss. LibAUC multiplies shapes (N,) and (N, 1), so that alpha is a factor of the whole loss.
- LibAUC's two-way CVaR loss calls the margin `threshold`, and its default is 0.5; ours is 1 everywhere.
"""

import math

import pytest
import torch

from pauci.losses import AUCMLoss, CrossEntropyLoss, FocalLoss, MiniBatchLoss, SOPALoss, SOPASLoss, STACOLoss

auc = pytest.importorskip("libauc.losses.auc", reason="LibAUC is not installed", exc_type=ImportError)
losses = pytest.importorskip("libauc.losses.losses", reason="LibAUC is not installed", exc_type=ImportError)

SIZE = 64


def batches():
    generator = torch.Generator().manual_seed(0)
    for _ in range(8):
        rows = torch.randperm(SIZE, generator=generator)[:24]
        yield torch.rand(24, generator=generator), rows % 3 == 0, rows


def gradient(loss, score, labels, rows):
    score = score.clone().requires_grad_()
    loss(score, labels, rows).backward()
    return score.grad


def assert_same_training(ours, theirs, states):
    for score, positive, rows in batches():
        wanted = gradient(theirs, score[:, None], positive[:, None].long(), rows).flatten()
        torch.testing.assert_close(gradient(ours, score, positive, rows), wanted, rtol=1e-4, atol=1e-6)
        for mine, other in states():
            torch.testing.assert_close(mine.flatten(), other.flatten(), rtol=1e-4, atol=1e-5)


def test_sopa():
    ours = SOPALoss(max_fpr=0.3, from_logits=False, data_size=SIZE)
    theirs = auc.pAUC_CVaR_Loss(data_len=SIZE, pos_len=SIZE, beta=0.3, eta=0.1, device="cpu")
    assert_same_training(ours, theirs, lambda: [(ours.thresholds.values, theirs.u_pos)])


def test_sopa_s():
    ours = SOPASLoss(temperature=0.5, from_logits=False, data_size=SIZE)
    theirs = auc.pAUC_DRO_Loss(data_len=SIZE, gamma=0.9, Lambda=0.5, device="cpu")
    ours.log_u.values.fill_(math.log(3.0))
    theirs.u_pos.fill_(3.0)
    assert_same_training(ours, theirs, lambda: [(ours.log_u.values.exp(), theirs.u_pos)])


def test_sota_s():
    ours = SOPASLoss(temperature=0.5, positive_temperature=2.0, from_logits=False, data_size=SIZE)
    theirs = auc.tpAUC_KL_Loss(data_len=SIZE, tau=2.0, Lambda=0.5, gammas=(0.9, 0.9), device="cpu")
    ours.log_u.values.fill_(math.log(3.0))
    theirs.u_pos.fill_(3.0)
    ours.log_v.write(torch.tensor([0]), torch.tensor([math.log(1.5)]))
    theirs.w = 1.5
    assert_same_training(ours, theirs, lambda: [(ours.log_u.values.exp(), theirs.u_pos)])


def test_staco():
    ours = STACOLoss(max_fpr=0.45, min_tpr=0.35, from_logits=False, data_size=SIZE)
    theirs = auc.tpAUC_CVaR_loss(data_length=SIZE, threshold=1.0, theta_0=0.65, theta_1=0.45, device="cpu")

    def call(score, labels, rows):
        return theirs(score.flatten(), labels.flatten(), rows)

    assert_same_training(
        ours,
        call,
        lambda: [
            (ours.thresholds.values, theirs.s1),
            (ours.duals.values, theirs.dual_var),
            (ours.level.values[0], theirs.s2),
        ],
    )


@pytest.mark.parametrize("share", [None, 0.3])
def test_auc_m_version_1(share):
    ours = AUCMLoss(from_logits=False, batch_prior=share)
    theirs = auc.AUCMLoss(imratio=share, version="v1", device="cpu")
    with torch.no_grad():
        ours.descent[:2] = torch.tensor([0.6, 0.4]).reshape(ours.descent[:2].shape)
        theirs.a.fill_(0.6)
        theirs.b.fill_(0.4)
        ours.ascent.fill_(-0.25)
        theirs.alpha.fill_(0.75)  # 1 + gamma
    for score, positive, rows in batches():
        p = float(positive.double().mean()) if share is None else share

        def call(score, labels, _, auto=share is None):
            return theirs(score, labels.float(), auto=auto)

        wanted = gradient(call, score[:, None], positive[:, None].long(), rows).flatten() / (p * (1 - p))
        torch.testing.assert_close(gradient(ours, score, positive, rows), wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("alpha", [0.25, 0.6])
def test_alpha_of_the_focal_loss_is_a_factor_of_all(alpha):
    theirs = losses.FocalLoss(alpha=alpha, gamma=2.0, device="cpu")
    for score, positive, rows in batches():
        ours = gradient(FocalLoss(focus=2.0), 4 * score - 2, positive, rows)
        wanted = gradient(lambda s, y, _: theirs(s, y.float()), 4 * score - 2, positive, rows)
        factor = (wanted / ours).mean()
        torch.testing.assert_close(factor * ours, wanted, rtol=1e-4, atol=1e-7)


def test_version_2_of_auc_m_counts_negatives_for_less():
    ours, theirs = AUCMLoss(from_logits=False), auc.AUCMLoss(version="v2", device="cpu")
    theirs.alpha.data.fill_(1.5)
    ours.ascent.data.fill_(0.5)
    ours.descent.data[:2] = 0
    for score, positive, rows in batches():
        wanted = gradient(lambda s, y, _: theirs(s, y), score[:, None], positive[:, None].long(), rows).flatten()
        # 2 alpha E-[f], of which LibAUC takes the negatives' share of the batch.
        missing = ~positive * 2 * 1.5 * (1 / (~positive).sum() - 1 / len(score))
        torch.testing.assert_close(gradient(ours, score, positive, rows), wanted + missing, rtol=1e-4, atol=1e-6)


def test_imratio_is_replaced_by_the_share_of_the_batch():
    score, positive, _ = next(batches())
    told, found = (auc.AUCMLoss(imratio=share, device="cpu") for share in (0.05, None))
    with torch.no_grad():
        assert told(score[:, None], positive[:, None]) == found(score[:, None], positive[:, None])


def test_auc_m_of_several_labels():
    ours = AUCMLoss(from_logits=False, num_labels=3)
    theirs = auc.MultiLabelAUCMLoss(version="v2", num_labels=3, device="cpu")
    ours.descent.data[:2] = 0
    score = torch.rand(24, 3, generator=torch.Generator().manual_seed(0))
    labels = torch.arange(72).reshape(24, 3) % 4 == 0
    for alpha in (0.0, 1.5):
        ours.ascent.data.fill_(alpha - 1)
        theirs.alpha.data.fill_(alpha)
        wanted = gradient(lambda s, y, _: theirs(s, y), score, labels, None)
        torch.testing.assert_close(gradient(ours, score, labels, None), wanted, rtol=1e-4, atol=1e-6)


def test_sopa_of_several_labels():
    ours = SOPALoss(max_fpr=0.3, from_logits=False, num_labels=3, data_size=24)
    theirs = auc.MultiLabelpAUCLoss("SOPA", num_labels=3, data_len=24, pos_len=24, beta=0.3, device="cpu")
    generator = torch.Generator().manual_seed(0)
    labels, rows = torch.arange(72).reshape(24, 3) % 4 == 0, torch.arange(24)
    for _ in range(8):
        score = torch.rand(24, 3, generator=generator)
        wanted = gradient(theirs, score, labels.long(), rows)
        torch.testing.assert_close(gradient(ours, score, labels, rows), wanted, rtol=1e-4, atol=1e-6)


def test_pairs_and_cross_entropy():
    pairs = auc.PairwiseAUCLoss(surr_loss="squared_hinge")
    for score, positive, rows in batches():
        for ours, theirs in (
            (MiniBatchLoss(from_logits=False), pairs),
            (CrossEntropyLoss(), lambda s, y, _: losses.CrossEntropyLoss()(s, y.float())),
        ):
            wanted = gradient(theirs, score, positive, rows)
            torch.testing.assert_close(gradient(ours, score, positive, rows), wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("positive_temperature", [None, 2.0])
def test_first_weights_of_sopa_s_and_sota_s_are_too_large(positive_temperature):
    ours = SOPASLoss(temperature=0.5, positive_temperature=positive_temperature, momentum=0.8, from_logits=False)
    if positive_temperature is None:
        theirs, factor = auc.pAUC_DRO_Loss(SIZE, gamma=0.8, Lambda=0.5, device="cpu"), 1 / 0.8
    else:  # by the averages of both kinds
        theirs, factor = auc.tpAUC_KL_Loss(SIZE, tau=2.0, Lambda=0.5, gammas=(0.8, 0.8), device="cpu"), 1 / 0.8**2
    score, positive, rows = next(batches())
    wanted = gradient(theirs, score[:, None], positive[:, None].long(), rows).flatten()
    torch.testing.assert_close(factor * gradient(ours, score, positive, rows), wanted, rtol=1e-4, atol=1e-6)


def test_small_lambda_overflows_there_alone():
    score, positive = torch.tensor([0.1, 0.9, 0.5]), torch.tensor([True, False, False])
    theirs = gradient(auc.pAUC_DRO_Loss(3, Lambda=0.01, device="cpu"), score[:, None], positive, torch.arange(3))
    ours = gradient(SOPASLoss(temperature=0.01, from_logits=False), score, positive, torch.arange(3))
    assert theirs.isnan().any()
    assert ours.isfinite().all()
    assert ours[0] < 0 < ours[1]


def test_duplicates_keep_the_last_there_and_the_mean_here():
    # The first positive has a loss against all negatives, the second against none.
    score, positive, rows = torch.tensor([0.1, 2.0, 0.5, 0.2]), torch.arange(4) < 2, torch.zeros(4, dtype=torch.long)
    ours = SOPALoss(max_fpr=0.5, from_logits=False)
    theirs = auc.pAUC_CVaR_Loss(data_len=1, pos_len=1, beta=0.5, device="cpu")
    gradient(theirs, score[:, None], positive, rows)
    gradient(ours, score, positive, rows)
    torch.testing.assert_close(theirs.u_pos.flatten(), torch.tensor([-0.1]))
    torch.testing.assert_close(ours.thresholds.values.flatten(), torch.tensor([0.0]))


def test_compositional_loss_takes_turns():
    score, positive, _ = next(batches())
    theirs, other = auc.CompositionalAUCLoss(version="v2", device="cpu"), auc.AUCMLoss(version="v2", device="cpu")
    turns = torch.stack([theirs(score[:, None], positive[:, None].float()).squeeze() for _ in range(3)])
    entropy = CrossEntropyLoss()(score.logit(), positive)
    torch.testing.assert_close(turns, torch.stack([entropy, other(score, positive).squeeze(), entropy]))
