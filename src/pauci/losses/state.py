"""The inner variables of a minimax loss as a module's state: named, boxed, grouped for an optimiser."""

from typing import Any

import torch
from torch import Tensor, nn

from pauci.losses.terms import Inner
from pauci.objectives import Boxes, InnerVariables


def _variable(name: str, doc: str) -> Any:
    row = Inner._fields.index(name)

    def stored(self: "InnerState") -> Tensor:
        return self.ascent.detach() if name == "gamma" else self.descent.detach()[row]

    def read(self: "InnerState") -> Tensor:
        # An optimiser may have left the box, and the next call of the loss will only then return to it.
        return stored(self).clamp(*self._boxes[row])

    def write(self: "InnerState", value: float | Tensor) -> None:
        stored(self).copy_(torch.as_tensor(value))

    return property(read, write, doc=doc)


class InnerState(nn.Module):
    """Inner variables packed into two tensors, one to descend and one to ascend in: a loss touches few tensors.

    Parameters
    ----------
    start : InnerVariables
        First values.
    boxes : Boxes
        Where they must stay.
    num_labels : int or None
        Number of labels, each with variables of its own; `None` for scalars.
    learned : bool
        Whether they are parameters, to be learned by an optimiser, or buffers.

    Examples
    --------
    >>> state = InnerState(InnerVariables(a=0.5, b=0.5, gamma=0.0), Boxes(), None, learned=True)
    >>> state.a = 0.75
    >>> state.a
    tensor(0.7500)
    >>> [(group["role"], len(group["params"])) for group in state.param_groups()]
    [('min', 1), ('max', 1)]
    """

    descent: Tensor
    ascent: Tensor
    _low: Tensor
    _high: Tensor

    a = _variable("a", "Mean score of the selected positives.")
    b = _variable("b", "Mean score of the selected negatives.")
    s_pos = _variable("s_pos", "The paper's s: threshold on the positives' loss; exact selectors find their own.")
    s_neg = _variable("s_neg", "The paper's s': threshold on the negatives' loss; exact selectors find their own.")
    theta_a = _variable("theta_a", "Multiplier of the constraint gamma >= -a.")
    theta_b = _variable("theta_b", "Multiplier of the constraint gamma >= b - 1.")
    gamma = _variable("gamma", "The ascent variable; (b - a) / (1 + omega) at the optimum.")

    def __init__(self, start: InnerVariables, boxes: Boxes, num_labels: int | None, *, learned: bool) -> None:
        super().__init__()
        labels = () if num_labels is None else (num_labels,)
        self._start = [float(getattr(start, name)) for name in Inner._fields]
        first = torch.tensor(self._start)
        first = first.view(-1, *(1 for _ in labels)).expand(-1, *labels)
        for name, values in (("descent", first[:-1].clone()), ("ascent", first[-1].clone())):
            if learned:
                self.register_parameter(name, nn.Parameter(values))
            else:
                self.register_buffer(name, values)
        for name in ("_low", "_high"):
            self.register_buffer(name, torch.empty(len(first) - 1, *(1 for _ in labels)), persistent=False)
        self._set_boxes(boxes)

    def param_groups(self) -> list[dict[str, Any]]:
        """Inner variables as parameter groups for an optimiser.

        Returns
        -------
        list of dict
            Groups without weight decay, with the keys `role` ("min" or "max") and `domain` (the box in which the
            variables move). Gamma's group has ``reversed=True``, because its gradient already points downwards. The
            list is empty when the variables are not learned.
        """
        if not list(self.parameters(recurse=False)):
            return []
        # The last step of another optimiser may have left the boxes, in which a solver must begin.
        self._project(self.descent, self.ascent)
        domain = (self._low, self._high)
        return [
            {"params": [self.descent], "role": "min", "domain": domain, "weight_decay": 0.0},
            {"params": [self.ascent], "role": "max", "domain": self._boxes[-1], "reversed": True, "weight_decay": 0.0},
        ]

    def reset_parameters(self) -> None:
        """Begin anew with the inner variables; a loss made on the meta device needs it after `to_empty`."""
        for name, value in zip(Inner._fields, self._start, strict=True):
            setattr(self, name, value)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        """Convert or move everything, the boxes in the same tensors: an optimiser may already hold them."""
        edges = {name: getattr(self, name) for name in ("_low", "_high")}
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for name, edge in edges.items():
            moved = getattr(self, name)
            if moved.is_meta == edge.is_meta:  # a tensor without content cannot become one with
                edge.data = moved
                setattr(self, name, edge)
        return self

    def _widen(self, num_labels: int) -> None:
        """Give every label variables of its own, in the same tensors: an optimiser may already hold them."""
        self.descent.data = self.descent.data.unsqueeze(1).repeat(1, num_labels)
        self.ascent.data = self.ascent.data.repeat(num_labels)
        for edge in (self._low, self._high):
            edge.data = edge.data.unsqueeze(1)

    def _set_boxes(self, boxes: Boxes) -> None:
        """Write the boxes, in the same tensors: an optimiser may already hold them."""
        self._boxes = [getattr(boxes, name) for name in Inner._fields]
        self._low, self._high = (with_memory(edge, self.descent) for edge in (self._low, self._high))
        for edge, values in zip((self._low, self._high), zip(*self._boxes[:-1], strict=True), strict=True):
            edge.copy_(torch.tensor(values, dtype=torch.float64).view_as(edge))

    def _point(self, label: int | None) -> InnerVariables:
        """Return the variables of one label, inside their boxes, as plain numbers."""
        values = (getattr(self, name) for name in Inner._fields)
        point = [(value if label is None else value[label]).item() for value in values]
        return InnerVariables(**dict(zip(Inner._fields, point, strict=True)))

    def _approach(self, point: InnerVariables, label: int, *, rate: float) -> None:
        """Move the variables of a label a share of the way to a point."""
        *descent, ascent = [getattr(point, name) for name in Inner._fields]
        self.descent.view(len(descent), -1)[:, label].lerp_(self.descent.new_tensor(descent), rate)
        self.ascent.view(-1)[label].lerp_(self.ascent.new_tensor(ascent), rate)

    def _project(self, descent: Tensor, ascent: Tensor) -> None:
        """Move the variables into their boxes, where a step of an ordinary optimiser may have left them."""
        descent.detach().clamp_(self._low, self._high)
        ascent.detach().clamp_(*self._boxes[-1])

    def _project_numbers(self, descent: Tensor, ascent: Tensor) -> Inner:
        """Do the same for variables of one label on the CPU, and return plain numbers."""
        values = [*descent.tolist(), ascent.item()]
        for value, (low, high) in zip(values, self._boxes, strict=True):
            if not low <= value <= high:
                self._project(descent, ascent)
                return Inner._make([*descent.tolist(), ascent.item()])
        return Inner._make(values)


def with_memory(buffer: Tensor, saved: Tensor) -> Tensor:
    """Return a buffer; in new memory where ``load_state_dict(assign=True)`` gave it to what is saved alone."""
    return torch.empty_like(buffer, device=saved.device) if buffer.is_meta and not saved.is_meta else buffer
