"""What a classifier does to rows before it scores them, as a network layer that can be exported."""

import numpy as np
import torch
from torch import Tensor, nn

from pauci.estimators.encoding import Encoding
from pauci.estimators.scaling import Scaling


class EncodingLayer(nn.Module):
    """Fill gaps, encode categories and scale, from the matrix of a `Table` to what a scorer reads.

    Examples
    --------
    >>> from pauci.data import Column
    >>> columns = [Column("age", "numeric"), Column("city", "categorical", ("Bonn", "Ulm"))]
    >>> X = np.array([[20.0, 0.0], [40.0, 1.0], [np.nan, 1.0]])
    >>> encoding = Encoding.fit(X, columns)
    >>> scaling = Scaling.fit(encoding(X), None)
    >>> bool(np.allclose(EncodingLayer(encoding, scaling)(torch.tensor(X)), scaling(encoding(X))))
    True
    """

    numbers: Tensor
    fill: Tensor
    indicated: Tensor
    mean: Tensor
    scale: Tensor
    last_mean: Tensor
    last_scale: Tensor

    def __init__(self, encoding: Encoding, scaling: Scaling) -> None:
        super().__init__()
        is_name = [column.kind == "categorical" for column in encoding.columns]
        self._names = [place for place, name in enumerate(is_name) if name]
        arrays = {
            "numbers": np.flatnonzero(~np.array(is_name)),
            "fill": encoding.fill,
            "indicated": encoding.indicated,
            "mean": encoding.mean,
            "scale": encoding.scale,
            "last_mean": scaling.mean,
            "last_scale": scaling.scale,
        }
        for which, outputs in enumerate(_outputs(encoding, self._names)):
            arrays[f"outputs_{which}"] = outputs
        for name, values in arrays.items():
            self.register_buffer(name, torch.tensor(values))

    def forward(self, x: Tensor) -> Tensor:
        """Encode rows in double precision: NaN where missing, categories as codes, -1 for unknown ones."""
        numbers = x[:, self.numbers]
        missing = torch.isnan(numbers)
        filled = torch.where(missing, self.fill, numbers)
        parts = [(torch.cat([filled, missing[:, self.indicated].double()], dim=1) - self.mean) / self.scale]
        for which, place in enumerate(self._names):
            outputs = self.get_buffer(f"outputs_{which}")
            code, count = x[:, place], len(outputs) - 2
            known = torch.where((code >= 0) & (code < count), code, float(count))
            parts.append(outputs[torch.where(torch.isnan(code), float(count + 1), known).long()])
        return (torch.cat(parts, dim=1) - self.last_mean) / self.last_scale


def _outputs(encoding: Encoding, names: list[int]) -> list[np.ndarray]:
    """For each categorical column, what is made of each of its codes, then of an unknown and of a missing one."""
    ends = len(encoding.mean) + np.cumsum(encoding.widths)
    found = []
    for place, end, width in zip(names, ends, encoding.widths, strict=True):
        codes = [*range(len(encoding.columns[place].categories)), -1.0, np.nan]
        rows = np.full((len(codes), len(encoding.columns)), np.nan)
        rows[:, place] = codes
        found.append(encoding(rows)[:, end - width : end])
    return found
