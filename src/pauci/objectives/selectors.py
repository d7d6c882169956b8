"""Selectors: how losses above a threshold are kept, softly or exactly.

A selector replaces the hinge [x]_+ of the average-top-k form ``s + mean([loss - s]_+) / share`` by a function r of
the excess ``x = loss - s``. Its derivative is the weight with which an instance is selected.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from pauci.errors import InputError


@dataclass(frozen=True)
class Softplus:
    """The paper's smooth hinge r(x) = log(1 + exp(kappa x)) / kappa.

    Parameters
    ----------
    kappa : float
        Sharpness; the hinge is the limit of large values.

    Examples
    --------
    >>> r = Softplus(kappa=4.0)
    >>> r.weight(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([0.0180, 0.5000, 0.9820])
    """

    kappa: float

    def __post_init__(self) -> None:
        if not (self.kappa > 0 and math.isfinite(self.kappa)):
            raise InputError(
                f"kappa={self.kappa!r} must be a positive number; for exact selection use the hinge or topk selector."
            )

    def value(self, x: Tensor) -> Tensor:
        """Return r(x), without overflow at any kappa."""
        # Equal to log(1 + exp(kappa x)), but finite up to its second derivative.
        return -torch.nn.functional.logsigmoid(-self.kappa * x) / self.kappa

    def weight(self, x: Tensor) -> Tensor:
        """Return r'(x), the selection weight in [0, 1]."""
        return torch.sigmoid(self.kappa * x)

    def curvature(self, x: Tensor) -> Tensor:
        """Return r''(x)."""
        weight = self.weight(x)
        return self.kappa * weight * (1 - weight)

    def offset(self, share: float) -> float:
        """Return the best threshold for losses that are all 0: where the weight equals `share`."""
        return math.log((1 - share) / share) / self.kappa


@dataclass(frozen=True)
class Hinge:
    """Exact selection by a threshold, r(x) = [x]_+.

    Examples
    --------
    >>> Hinge().value(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([0., 0., 1.])
    """

    def value(self, x: Tensor) -> Tensor:
        """Return r(x)."""
        return torch.relu(x)

    def weight(self, x: Tensor) -> Tensor:
        """Return r'(x), the selection weight: 1 above the threshold, else 0."""
        return (x > 0).to(x.dtype)

    def curvature(self, x: Tensor) -> Tensor:
        """Return r''(x), which is 0 wherever it exists."""
        return torch.zeros_like(x)

    def offset(self, share: float) -> float:  # noqa: ARG002 - the same for every share
        """Return the best threshold for losses that are all 0, whatever the `share`."""
        return 0.0


@dataclass(frozen=True)
class Dual:
    """The smoothed hinge max over c in [0, 1] of c x - omega_c c^2, its maximiser c being the selection weight.

    It is x^2 / (4 omega_c) up to 2 omega_c and x - omega_c beyond.

    Parameters
    ----------
    omega_c : float
        Strength of the smoothing; the hinge is the limit of small values.

    Examples
    --------
    >>> r = Dual(omega_c=0.5)
    >>> r.value(torch.tensor([0.0, 0.5, 1.0, 2.0]))
    tensor([0.0000, 0.1250, 0.5000, 1.5000])
    >>> r.weight(torch.tensor([0.0, 0.5, 1.0, 2.0]))
    tensor([0.0000, 0.5000, 1.0000, 1.0000])
    """

    omega_c: float

    def __post_init__(self) -> None:
        if not (self.omega_c > 0 and math.isfinite(self.omega_c)):
            raise InputError(f"omega_c={self.omega_c!r} must be a positive number; its limit 0 is the hinge selector.")

    def value(self, x: Tensor) -> Tensor:
        """Return r(x)."""
        weight = self.weight(x)
        return weight * (x - self.omega_c * weight)

    def weight(self, x: Tensor) -> Tensor:
        """Return r'(x), the selection weight in [0, 1]."""
        return (x / (2 * self.omega_c)).clamp(0, 1)

    def curvature(self, x: Tensor) -> Tensor:
        """Return r''(x), which jumps at 0 and at 2 omega_c."""
        return ((x > 0) & (x < 2 * self.omega_c)).to(x.dtype) / (2 * self.omega_c)

    def offset(self, share: float) -> float:
        """Return the best threshold for losses that are all 0: where the weight equals `share`."""
        return -2 * self.omega_c * share


@dataclass(frozen=True)
class TopK:
    """Exact selection by sorting the batch; needs no threshold and is the only selector that takes bands.

    Examples
    --------
    >>> TopK()
    TopK()
    """


Selector = Softplus | Hinge | Dual | TopK


def make_selector(name: str, *, kappa: float = 4.0, omega_c: float = 0.1) -> Selector:
    """Return the selector of a given name.

    Parameters
    ----------
    name : {"softplus", "hinge", "dual", "topk"}
        How instances are selected.
    kappa : float
        Sharpness of ``"softplus"``.
    omega_c : float
        Smoothing of ``"dual"``; 0 gives the hinge.

    Returns
    -------
    Selector
        The selector; parameters of the other selectors are ignored.

    Examples
    --------
    >>> make_selector("dual", omega_c=0.05)
    Dual(omega_c=0.05)
    """
    if name == "softplus":
        return Softplus(kappa)
    if name == "hinge":
        return Hinge()
    if name == "dual":
        return Hinge() if omega_c == 0 else Dual(omega_c)
    if name == "topk":
        return TopK()
    raise InputError(f"selector={name!r} is not known; use 'softplus', 'hinge', 'dual' or 'topk'.")
