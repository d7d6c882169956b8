"""A multilayer perceptron for tables: numbers as they are, categories as embeddings."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from pauci.errors import InputError

#: Embeddings have half as many dimensions as there are categories, at most this many.
_LARGEST_EMBEDDING = 32


class MLP(nn.Module):
    """Fully connected layers with one output: the logit of the positive class.

    Parameters
    ----------
    in_features : int
        Columns of the input.
    hidden : sequence of int, default (128, 64)
        Units of the hidden layers; an empty sequence makes a linear scorer.
    categories : mapping of int to int, optional
        For each categorical column, its number of categories. Such a column holds codes from 0; any other value stands
        for "missing or unseen" and has an embedding of its own.
    dropout : float, default 0.0
        Share of hidden units that are dropped while training.

    Examples
    --------
    >>> model = MLP(3, hidden=(8,), categories={2: 5})
    >>> model(torch.tensor([[0.1, -1.0, 4.0], [0.2, 0.0, -1.0]])).shape
    torch.Size([2])
    """

    def __init__(
        self,
        in_features: int,
        *,
        hidden: Sequence[int] = (128, 64),
        categories: Mapping[int, int] | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if any(units < 1 for units in hidden):
            raise InputError(f"hidden={list(hidden)} must be numbers of at least 1; [] is a network without any.")
        # Keys of tables in recipe files are text.
        categories = {int(column): count for column, count in (categories or {}).items()}
        if bad := [column for column in categories if not 0 <= column < in_features]:
            raise InputError(f"categories names column {bad[0]}, but there are in_features={in_features} columns.")
        self.in_features = in_features
        self._categories = sorted(categories.items())
        self._number_columns = [column for column in range(in_features) if column not in categories]
        sizes = [min(_LARGEST_EMBEDDING, (count + 1) // 2 + 1) for _, count in self._categories]
        self.embeddings = nn.ModuleList(
            nn.Embedding(count + 1, size) for (_, count), size in zip(self._categories, sizes, strict=True)
        )
        width = len(self._number_columns) + sum(sizes)
        layers: list[nn.Module] = []
        for units in hidden:
            layers += [nn.Linear(width, units), nn.ReLU()]
            if dropout != 0:
                layers.append(nn.Dropout(dropout))
            width = units
        self.layers = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, x: Tensor) -> Tensor:
        """Score rows.

        Parameters
        ----------
        x : Tensor of shape (n, in_features)
            Numbers, and codes of categories.

        Returns
        -------
        Tensor of shape (n,)
            Logits.
        """
        if x.ndim != 2 or x.shape[1] != self.in_features:
            raise InputError(f"x has shape {tuple(x.shape)}, expected (n, {self.in_features}).")
        if self._categories:
            parts = [x[:, self._number_columns]]
            for (column, count), table in zip(self._categories, self.embeddings, strict=True):
                parts.append(table(_code(x[:, column], count)))
            x = torch.cat(parts, dim=1)
        scores: Tensor = self.layers(x).squeeze(1)
        return scores


def _code(values: Tensor, count: int) -> Tensor:
    """Rows of the embedding table: 0 for anything that is not a known code, else the code plus one."""
    return torch.where((values >= 0) & (values < count), values.long() + 1, 0)
