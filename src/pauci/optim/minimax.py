"""Param groups of a minimax problem, and Algorithm 1's move of them."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim.optimizer import Optimizer, ParamsT

from pauci.errors import InputError
from pauci.losses.checks import as_number

#: Where a group keeps what the constructor takes once per role.
_HOMES = {"min": {"nu": "lr", "c1": "c"}, "max": {"lam": "lr", "c2": "c"}}


class MinimaxOptimizer(Optimizer):
    """Descend in some param groups and ascend in others, inside boxes.

    Subclasses estimate the gradient, and say what the parameters are; this class reads the groups and moves them.

    Notes
    -----
    A group may carry, besides ``lr``, ``c``, ``k``, ``m``, ``weight_decay`` and ``max_norm``:

    - ``role``: "min" (default) or "max";
    - ``domain``: (low, high), floats or tensors that broadcast to each parameter of the group; default None;
    - ``reversed``: True if the ``.grad`` of this "max" group already has its sign turned for descent.
    """

    def __init__(
        self,
        params: ParamsT,
        *,
        nu: float = 0.5,
        lam: float = 0.1,
        k: float = 1.0,
        m: float = 100.0,
        c1: float = 3.0,
        c2: float = 3.0,
        weight_decay: float = 0.0,
        max_norm: float | None = None,
    ) -> None:
        rates = {"nu": nu, "lam": lam, "c1": c1, "c2": c2}
        common = {"k": k, "m": m, "weight_decay": weight_decay, "max_norm": max_norm}
        super().__init__(params, {**rates, **common, "domain": None, "reversed": False, "step": 0})

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group, filling in what its role implies; see `torch.optim.Optimizer.add_param_group`."""
        group = {"role": "min", **param_group}
        if group["role"] not in _HOMES:
            raise InputError(f"role={group['role']!r} of a param group is not known; use 'min' or 'max'.")
        for name, home in (_HOMES["min"] | _HOMES["max"]).items():
            if name in group:
                raise InputError(f"{name}={group[name]!r} of a param group is not read; call it {home!r} there.")
        if group.get("maximize"):
            raise InputError("maximize=True of a param group is not read; groups that ascend have role='max'.")
        for name, home in _HOMES[group["role"]].items():
            group.setdefault(home, self.defaults[name])
        super().add_param_group(group)
        for name in _HOMES["min"] | _HOMES["max"]:
            del group[name]
        try:
            _validate(group)
        except InputError:
            self.param_groups.pop()
            raise

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state; boxes stay those of the groups, which whoever gave them may move (annealing does)."""
        domains = [group["domain"] for group in self.param_groups]
        super().load_state_dict(state_dict)
        for group, domain in zip(self.param_groups, domains, strict=True):
            group["domain"] = domain

    def _active(self) -> list[tuple[dict[str, Any], list[Tensor], list[Tensor], list[Tensor]]]:
        """Per group: the group, its parameters that have a gradient, these gradients, their running estimates."""
        active = []
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            grads = [p.grad for p in params]
            check_dense(grads, self)
            for p in params:
                if not self.state[p]:
                    self.state[p]["estimate"] = torch.zeros_like(p, memory_format=torch.preserve_format)
            active.append((group, params, grads, [self.state[p]["estimate"] for p in params]))
        return active

    @staticmethod
    def _shares(group: dict[str, Any]) -> tuple[float, float]:
        """eta_t, the share of a step that is taken, and rho (or xi), what a new gradient counts."""
        eta = group["k"] / math.cbrt(group["m"] + group["step"])
        return eta, min(1.0, group["c"] * eta**2)

    def _move(self, group: dict[str, Any], params: list[Tensor], estimates: list[Tensor]) -> None:
        """Lines 5 and 6 of Algorithm 1: (1 - eta) x + eta P(x - lr v), with the sign of v turned for ascent."""
        eta, _ = self._shares(group)
        lr, decay = group["lr"], group["lr"] * group["weight_decay"]
        ascent = group["role"] == "max" and not group["reversed"]
        if group["max_norm"] is not None:
            norm = torch.nn.utils.get_total_norm(estimates)
            estimates = list(torch._foreach_mul(estimates, (group["max_norm"] / norm).clamp(max=1.0)))
        if group["domain"] is None:
            # Without a projection the combination needs no copy: x - eta lr (v + weight_decay x).
            if decay:
                torch._foreach_mul_(params, 1 - eta * decay)
            torch._foreach_add_(params, estimates, alpha=eta * lr if ascent else -eta * lr)
            return
        targets = torch._foreach_mul(params, 1 - decay)
        torch._foreach_add_(targets, estimates, alpha=lr if ascent else -lr)
        for target in targets:
            _project_(target, group["domain"])
        # lerp never leaves the segment between its ends, not even by rounding.
        torch._foreach_lerp_(params, targets, eta)


def check_dense(grads: Sequence[Tensor], optimizer: Optimizer) -> None:
    """Refuse sparse gradients."""
    for grad in grads:
        if grad.layout is not torch.strided:
            raise InputError(
                f"{type(optimizer).__name__} does not take sparse gradients, but a parameter of shape "
                f"{tuple(grad.shape)} has one; create its embedding with sparse=False."
            )


def _project_(tensor: Tensor, domain: tuple[float | Tensor, float | Tensor]) -> None:
    low, high = (bound.to(tensor) if isinstance(bound, Tensor) else bound for bound in domain)
    tensor.clamp_(min=low).clamp_(max=high)


def _validate(group: dict[str, Any]) -> None:
    argument = {home: name for name, home in _HOMES[group["role"]].items()}
    for key in ("lr", "k", "m", "c", "weight_decay"):
        if not 0 <= as_number(group[key]) < math.inf:
            by_default = f" ({argument[key]}, unless it sets its own)" if key in argument else ""
            raise InputError(
                f"{key}={group[key]!r} of a param group{by_default} must be a finite number, not negative."
            )
    k, m = group["k"], group["m"]
    if k == 0 or m < k**3:
        raise InputError(
            f"k={k:g}, m={m:g}: the first share eta_0 = k / m^(1/3) must lie in (0, 1], or steps overshoot their "
            f"own target; use k > 0 and m >= k^3 = {k**3:g}."
        )
    if group["max_norm"] is not None and not as_number(group["max_norm"]) > 0:
        raise InputError(f"max_norm={group['max_norm']!r} must be positive, or None for no limit.")
    if group["reversed"] and group["role"] == "min":
        raise InputError("reversed=True belongs to 'max' groups whose gradient is already turned; this one is 'min'.")
    for p in group["params"]:
        if p.is_complex():
            raise InputError(f"a parameter of shape {tuple(p.shape)} is complex; view it as real numbers first.")
    if group["domain"] is not None:
        _validate_domain(group)


def _validate_domain(group: dict[str, Any]) -> None:
    try:
        low, high = group["domain"]
    except (TypeError, ValueError):
        raise InputError(f"domain={group['domain']!r} of a param group must be a pair (low, high) or None.") from None
    for p in group["params"]:
        try:
            least, most = (torch.as_tensor(b, dtype=p.dtype, device=p.device).expand_as(p) for b in (low, high))
        except (RuntimeError, TypeError):
            raise InputError(
                f"domain={group['domain']!r} of a param group must be numbers, or tensors that broadcast to a "
                f"parameter of shape {tuple(p.shape)}; -inf and inf leave a side open."
            ) from None
        if not bool((least <= most).all()):
            raise InputError(f"domain={group['domain']!r} of a param group is empty: low must not exceed high.")
        if not bool(((p >= least) & (p <= most)).all()):
            raise InputError(
                f"a parameter of shape {tuple(p.shape)} starts outside of its domain={group['domain']!r}; "
                "clamp it first: every iterate then stays inside."
            )
