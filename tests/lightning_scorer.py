"""A Lightning module for several devices; importable, as spawned processes need it."""

import lightning
import torch
from torch.utils.data import DataLoader, Subset, TensorDataset

from pauci import MixedLoss, PAUCILoss
from pauci.data import StratifiedBatchSampler
from pauci.losses import CrossEntropyLoss
from pauci.metrics import StreamingPartialAUC


class Scorer(lightning.LightningModule):
    """As on the page about Lightning; every process takes its share of the validation data."""

    def __init__(self) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.y = torch.rand(400, generator=generator) < 0.2
        self.x = torch.randn(400, 4, generator=generator) + 0.8 * self.y[:, None]
        torch.manual_seed(0)
        self.model = torch.nn.Linear(4, 1)
        self.loss = MixedLoss(PAUCILoss(max_fpr=0.3), CrossEntropyLoss(), weight=0.5)
        self.partial_auc = StreamingPartialAUC(max_fpr=0.3)

    def training_step(self, batch, _):
        x, y = batch
        return self.loss(self.model(x), y)

    def validation_step(self, batch, _):
        x, y = batch
        self.partial_auc.update(self.model(x).flatten(), y)
        self.log("partial AUC", self.partial_auc)

    def configure_optimizers(self):
        return torch.optim.SGD([{"params": list(self.model.parameters())}, *self.loss.param_groups()], lr=0.1)

    def train_dataloader(self):
        n, rank = self.trainer.world_size, self.trainer.global_rank
        sampler = StratifiedBatchSampler(self.y, 100, positive_ratio=0.2, num_replicas=n, rank=rank)
        return DataLoader(TensorDataset(self.x, self.y), batch_sampler=sampler)

    def val_dataloader(self):
        n, rank = self.trainer.world_size, self.trainer.global_rank
        return DataLoader(Subset(TensorDataset(self.x, self.y), range(rank, 400, n)), batch_size=64)
