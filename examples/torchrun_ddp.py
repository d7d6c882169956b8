"""Train for a region in several processes.

    torchrun --nproc-per-node 2 examples/torchrun_ddp.py

The region is that of all processes' instances together, not of each one's share: the loss exchanges what it needs, so
that two processes compute what one would on the whole batch. The loss's own parameters need no wrapper.
"""

import os

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from torch.nn.parallel import DistributedDataParallel

from pauci import MixedLoss, PAUCILoss
from pauci.data import StratifiedBatchSampler
from pauci.losses import CrossEntropyLoss
from pauci.metrics import partial_auc_score


def main() -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    images, digits = load_digits(return_X_y=True)
    x, y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(digits == 8)
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(64, 1))
    loss = MixedLoss(PAUCILoss(max_fpr=0.15), CrossEntropyLoss(), weight=0.5)
    optimizer = torch.optim.AdamW([{"params": list(model.parameters())}, *loss.param_groups()], lr=0.03)
    # The batch size is that of all processes; each draws its share of every batch.
    batches = StratifiedBatchSampler(y[:900], 300, positive_ratio=0.2, num_replicas=size, rank=rank, seed=0)
    for _ in range(10):
        for rows in batches:
            optimizer.zero_grad()
            loss(model(x[rows]), y[rows]).backward()
            optimizer.step()
    test = partial_auc_score(y[900:], model(x[900:]).detach().flatten(), max_fpr=0.05)
    print(f"process {os.environ['RANK']} of {size}: {test:.6f} at FPR <= 0.05", flush=True)


if __name__ == "__main__":
    dist.init_process_group("gloo")  # "nccl" on GPUs
    main()
    # By now the wrapper of the model is gone, whose threads must not outlive the group; and nobody leaves early.
    dist.barrier()
    dist.destroy_process_group()
