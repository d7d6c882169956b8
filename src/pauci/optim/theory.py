"""The step sizes for which the paper's theorem promises convergence of Algorithm 1 (thm:opt)."""

import math
from dataclasses import dataclass

from pauci.errors import InputError
from pauci.losses.checks import check_positive


def theory_settings(*, lipschitz: float, concavity: float, batch_size: int = 1, k: float = 1.0) -> dict[str, float]:
    """Hyper-parameters of `ASGDA` that satisfy the convergence theorem, with steps as large as it allows.

    The theorem is stated with the constants tau, mu and b. Both tau and mu are the modulus of strong concavity (tau is
    its name in the source that the theorem is taken from); b is the mini-batch size.

    Parameters
    ----------
    lipschitz : float
        Lipschitz constant L_G of the objective's gradient in all variables.
    concavity : float
        Modulus mu of strong concavity in the ascent variables: the objective bends down at least this much.
    batch_size : int, default 1
        Instances per batch.
    k : float, default 1.0
        Scale of the shares eta_t = k / (m + t)^(1/3).

    Returns
    -------
    dict of str to float
        nu, lam, k, m, c1 and c2, to be passed on as ``ASGDA(params, **settings)``.

    See Also
    --------
    check_conditions : Returns the conditions that given settings break.
    ASGDA : Takes them.

    Examples
    --------
    >>> settings = theory_settings(lipschitz=1.0, concavity=1.0)
    >>> {name: round(value, 4) for name, value in settings.items()}
    {'nu': 0.0136, 'lam': 0.1667, 'k': 1.0, 'm': 55597.1713, 'c1': 2.9167, 'c2': 38.1667}
    """
    _validate(lipschitz=lipschitz, concavity=concavity, batch_size=batch_size, k=k)
    c1, c2 = _least_c1(k, concavity), _least_c2(k, lipschitz)
    m = _least_m(k, c1, c2)
    lam = _most_lam(lipschitz, concavity, batch_size)
    nu = _most_nu(lam, k, m, lipschitz, concavity, batch_size)
    return {"nu": nu, "lam": lam, "k": k, "m": m, "c1": c1, "c2": c2}


@dataclass(frozen=True)
class BrokenCondition:
    """A condition of the convergence theorem that the given hyper-parameters break.

    Attributes
    ----------
    name : str
        Which hyper-parameter is too small or too large.
    value : float
        Its value.
    limit : float
        The value it may have at most or at least, given the other hyper-parameters.

    Examples
    --------
    >>> print(BrokenCondition("c2", value=3.0, limit=38.17))
    c2=3 must be at least 38.17: 12.7 times too small
    """

    name: str
    value: float
    limit: float

    def __str__(self) -> str:
        least = self.value < self.limit
        factor = self.limit / self.value if least else self.value / self.limit
        return (
            f"{self.name}={self.value:g} must be at {'least' if least else 'most'} {self.limit:.4g}: "
            f"{factor:.3g} times too {'small' if least else 'large'}"
        )


def check_conditions(
    *,
    nu: float,
    lam: float,
    k: float,
    m: float,
    c1: float,
    c2: float,
    lipschitz: float,
    concavity: float,
    batch_size: int = 1,
) -> list[BrokenCondition]:
    """Return the conditions of the convergence theorem that hyper-parameters of `ASGDA` break, and by how much.

    Breaking them is usual, because they guard against the worst case.

    Parameters
    ----------
    nu, lam, k, m, c1, c2 : float
        As for `ASGDA`.
    lipschitz, concavity : float
        Constants of the problem, as for `theory_settings`.
    batch_size : int, default 1
        Instances per batch.

    Returns
    -------
    list of BrokenCondition
        Empty if the theorem holds.

    See Also
    --------
    theory_settings : Settings that break none.

    Examples
    --------
    >>> for broken in check_conditions(nu=0.001, lam=0.1, k=1, m=60000, c1=3, c2=3, lipschitz=1, concavity=1):
    ...     print(broken)
    c2=3 must be at least 38.17: 12.7 times too small
    """
    _validate(nu=nu, lam=lam, k=k, m=m, c1=c1, c2=c2, lipschitz=lipschitz, concavity=concavity, batch_size=batch_size)
    least = [("c1", c1, _least_c1(k, concavity)), ("c2", c2, _least_c2(k, lipschitz)), ("m", m, _least_m(k, c1, c2))]
    most = [
        ("lam", lam, _most_lam(lipschitz, concavity, batch_size)),
        ("nu", nu, _most_nu(lam, k, m, lipschitz, concavity, batch_size)),
    ]
    return [BrokenCondition(*row) for row in least if row[1] < row[2]] + [
        BrokenCondition(*row) for row in most if row[1] > row[2]
    ]


def _least_c1(k: float, concavity: float) -> float:
    return 2 / (3 * k**3) + 9 * concavity**2 / 4


def _least_c2(k: float, lipschitz: float) -> float:
    return 2 / (3 * k**3) + 75 * lipschitz**2 / 2


def _least_m(k: float, c1: float, c2: float) -> float:
    return max(2.0, k**3, (c1 * k) ** 3, (c2 * k) ** 3)


def _most_lam(lipschitz: float, concavity: float, batch_size: int) -> float:
    return min(1 / (6 * lipschitz), 27 * batch_size * concavity / 16)


def _most_nu(lam: float, k: float, m: float, lipschitz: float, concavity: float, batch_size: int) -> float:
    condition = lipschitz / concavity
    root = math.sqrt(2 * batch_size / (8 * lam**2 + 75 * condition**2 * batch_size))
    return min(lam * concavity / (2 * lipschitz) * root, math.cbrt(m) / (2 * (lipschitz + lipschitz * condition) * k))


def _validate(**values: float) -> None:
    check_positive(**values)
    if values["concavity"] > values["lipschitz"]:
        raise InputError(
            f"concavity={values['concavity']:g} exceeds lipschitz={values['lipschitz']:g}: no function bends more than "
            "its gradient changes. Check the two constants."
        )
