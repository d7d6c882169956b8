import pytest
import torch

from optim.ddp_worker import network, train, work


@pytest.mark.slow
@pytest.mark.parametrize("bucket_view", [False, True])
def test_two_processes_take_the_steps_of_one(tmp_path, bucket_view):
    torch.multiprocessing.spawn(work, args=(str(tmp_path), bucket_view), nprocs=2)
    ends = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1)]
    assert torch.equal(*ends)
    alone = train(network(), slice(None))
    torch.testing.assert_close(ends[0], alone, atol=1e-6, rtol=0)
    assert (alone - torch.cat([p.detach().flatten() for p in network().parameters()])).abs().max() > 0.01
