"""Networks and linear models as ONNX: from the matrix of a table to scores, probabilities and decisions."""

import json
import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from pauci.errors import InputError
from pauci.estimators import PartialAUCClassifier
from pauci.estimators.linear import LinearScorer
from pauci.extras import require
from pauci.tabular.encoding_layer import EncodingLayer
from pauci.tabular.model import TabularModel


def onnx_bytes(model: TabularModel, facts: Mapping[str, Any]) -> bytes:
    """Export a network or linear model; facts become metadata of the file, as JSON under the key ``pauci``.

    Its input is ``X`` (rows, columns; double), its outputs are ``score``, ``probability`` and ``decision``.
    """
    for name in ("onnx", "onnxscript"):
        require(name, purpose="exporting to ONNX")
    layer = DecisionLayer(model).eval()
    row = torch.zeros(2, len(model.columns), dtype=torch.float64)
    with _quiet():
        program = torch.onnx.export(
            layer,
            (row,),
            dynamo=True,
            input_names=["X"],
            output_names=["score", "probability", "decision"],
            dynamic_shapes=({0: torch.export.Dim("rows")},),
            verbose=False,
        )
    if program is None:
        raise InputError("this network cannot be exported to ONNX.")
    proto = program.model_proto
    for node in proto.graph.node:
        del node.metadata_props[:]  # lines and folders of the code that made it, a third of the file
    entry = proto.metadata_props.add()
    entry.key, entry.value = "pauci", json.dumps(facts)
    return bytes(proto.SerializeToString())


class DecisionLayer(nn.Module):
    """All that a classifier does to a row of numbers and codes, up to the decision."""

    threshold: Tensor
    slope: Tensor
    offset: Tensor

    def __init__(self, model: TabularModel) -> None:
        super().__init__()
        classifier = model.estimator
        if not isinstance(classifier, PartialAUCClassifier) or classifier.encoding_ is None:
            raise InputError("only networks and linear models of a table are exported to ONNX.")
        self.encoding = EncodingLayer(classifier.encoding_, classifier.scaling_)
        self.network = _network(classifier.scorer_)
        calibration = classifier.calibration_
        # Tensors, since the exporter would write plain numbers in single precision.
        for name, value in (
            ("threshold", classifier.threshold_.threshold),
            ("slope", calibration.slope),
            ("offset", calibration.offset),
        ):
            self.register_buffer(name, torch.tensor(value, dtype=torch.float64))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return scores relative to the threshold, probabilities, and 1 where the decision is positive."""
        raw = self.network(self.encoding(x)).reshape(-1).double()
        probability = torch.sigmoid(self.slope * raw + self.offset)
        score = raw - self.threshold
        return score, probability, (score >= 0).long()


class _SinglePrecision(nn.Module):
    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        scores: Tensor = self.network(x.float())
        return scores


def _network(scorer: Any) -> nn.Module:
    """Return the scorer as a network on the CPU that takes double precision."""
    if not isinstance(scorer, LinearScorer):
        return _SinglePrecision(scorer.network.cpu())
    linear = nn.Linear(len(scorer.weights), 1, dtype=torch.float64)
    with torch.no_grad():
        linear.weight.copy_(torch.from_numpy(scorer.weights))
        linear.bias.fill_(scorer.intercept)
    return linear


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep torch's exporter from reporting on itself: deprecations within, and packages it could also export."""
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
