"""Several processes do what one does on the concatenated batch."""

import pytest
import torch
from torch import multiprocessing

from losses import distributed_worker as worker


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    multiprocessing.spawn(worker.work, args=(str(folder),), nprocs=max(worker.SIZES))
    return {
        world: [torch.load(folder / f"{world}-{rank}.pt", weights_only=True) for rank in range(world)]
        for world in worker.SIZES
    }


@pytest.mark.slow
@pytest.mark.parametrize("world", list(worker.SIZES))
@pytest.mark.parametrize("case", list(worker.CASES))
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.float64, 1e-12)])
def test_ranks_together_equal_one_process(results, world, case, dtype, tolerance):
    expected = worker.gradients(case, world, slice(None), dtype, wrap=False)
    ranks = [found[f"{case} {dtype}"] for found in results[world]]
    for got in ranks:
        torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)
        # The loss is not wrapped, yet its gradients and variables are the same bits everywhere.
        assert all(torch.equal(mine, first) for mine, first in zip(got, ranks[0], strict=True))


@pytest.mark.slow
def test_one_process_may_evaluate_alone(results):
    for ranks in results.values():
        assert ranks[0]["alone"] == worker.evaluate_alone()
