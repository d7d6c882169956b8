import pytest
import torch

from optim.distributed_worker import network, train, work


@pytest.mark.slow
def test_two_processes_take_the_steps_of_one(tmp_path):
    torch.multiprocessing.spawn(work, args=(str(tmp_path),), nprocs=2)
    first, second = (torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1))
    start = torch.cat([p.detach().flatten() for p in network().parameters()])
    for (way, limit), end in first.items():
        assert torch.equal(end, second[way, limit]), way
        alone = train(network(), slice(None), max_norm=limit)
        torch.testing.assert_close(end, alone, atol=1e-6, rtol=0, msg=f"{way}, max_norm={limit}")
        assert (alone[: len(start)] - start).abs().max() > 0.01
