"""What a fitted `TableEncoder` does, as a network layer: it is saved, traced and exported with the model."""

from collections.abc import Mapping
from typing import Self

import numpy as np
import torch
from sklearn.preprocessing import OneHotEncoder
from torch import Tensor, nn

from pauci.data.encoder import TableEncoder


class Preprocessing(nn.Module):
    """Fill gaps, scale numbers and encode categories, from the matrix of a `Table` to what a network reads.

    Parameters
    ----------
    state : mapping of str to Tensor
        A `state_dict` of this class: ``numbers`` (places of the columns of numbers) with their ``fill`` values,
        ``gaps`` (which of them get an indicator of missing values), ``center`` and ``scale`` of both, ``names``
        (places of the categorical columns), and for the i-th of them ``table_i``: the output for every code, then for
        unknown and for missing ones.

    Examples
    --------
    >>> from pauci.data import Column
    >>> columns = [Column("age", "numeric"), Column("city", "categorical", ("Bonn", "Ulm"))]
    >>> X = np.array([[20.0, 0.0], [40.0, 1.0], [np.nan, 1.0]])
    >>> encoder = TableEncoder(columns).fit(X)
    >>> bool(np.allclose(Preprocessing.of(encoder)(torch.tensor(X)), encoder.transform(X)))
    True
    """

    numbers: Tensor
    fill: Tensor
    gaps: Tensor
    center: Tensor
    scale: Tensor
    names: Tensor

    def __init__(self, state: Mapping[str, Tensor]) -> None:
        super().__init__()
        for name, tensor in state.items():
            self.register_buffer(name, tensor)
        self._places = [int(place) for place in self.names]

    @classmethod
    def of(cls, encoder: TableEncoder) -> Self:
        """Take over what an encoder with ``categorical="onehot"`` has learned."""
        columns = encoder.columns
        numbers = [place for place, column in enumerate(columns) if column.kind != "categorical"]
        names = [place for place, column in enumerate(columns) if column.kind == "categorical"]
        state = dict.fromkeys(("fill", "center", "scale"), torch.zeros(0, dtype=torch.float64))
        state |= {"numbers": torch.tensor(numbers).long(), "names": torch.tensor(names).long()}
        state["gaps"] = torch.zeros(0, dtype=torch.long)
        if numbers:
            imputer, scaler = encoder.transformer_.named_transformers_["numbers"]
            for name, values in (("fill", imputer.statistics_), ("center", scaler.mean_), ("scale", scaler.scale_)):
                state[name] = torch.tensor(values).double()
            state["gaps"] = torch.tensor(imputer.indicator_.features_).long()
        if names:
            onehot = encoder.transformer_.named_transformers_["names"]
            for i, place in enumerate(names):
                state[f"table_{i}"] = _outputs(onehot, i, len(columns[place].categories))
        return cls(state)

    @property
    def width(self) -> int:
        """How many columns come out."""
        return len(self.center) + sum(self._table(i).shape[1] for i in range(len(self._places)))

    def forward(self, x: Tensor) -> Tensor:
        """Encode rows.

        Parameters
        ----------
        x : Tensor of shape (n, columns)
            The matrix of a `Table`: NaN where missing, categories as codes, -1 for unknown ones.

        Returns
        -------
        Tensor of shape (n, width)
            Finite numbers, in single precision.
        """
        numbers = x.double()[:, self.numbers]  # timestamps have more digits than float32, until they are centred
        missing = torch.isnan(numbers)
        filled = torch.where(missing, self.fill, numbers)
        scaled = (torch.cat([filled, missing[:, self.gaps].double()], dim=1) - self.center) / self.scale
        parts = [scaled.float()]
        for i, place in enumerate(self._places):
            table = self._table(i)
            code, count = x[:, place], len(table) - 2
            known = torch.where((code >= 0) & (code < count), code, float(count))
            parts.append(table[torch.where(torch.isnan(code), float(count + 1), known).long()])
        return torch.cat(parts, dim=1)

    def _table(self, i: int) -> Tensor:
        return self.get_buffer(f"table_{i}")


def _outputs(onehot: OneHotEncoder, which: int, n_codes: int) -> Tensor:
    """What the encoder makes of every code of one of its columns, of an unknown and of a missing one."""
    codes = np.array([*range(n_codes), -1.0, np.nan])
    # The other columns are held at a value they had, so that only this one's outputs vary.
    rows = np.tile([float(known[0]) for known in onehot.categories_], (len(codes), 1))
    rows[:, which] = codes
    rare = [0 if codes is None else len(codes) - 1 for codes in onehot.infrequent_categories_]  # they share a column
    ends = np.cumsum([len(known) - shared for known, shared in zip(onehot.categories_, rare, strict=True)])
    first = 0 if which == 0 else int(ends[which - 1])
    return torch.tensor(onehot.transform(rows)[:, first : ends[which]], dtype=torch.float32)
