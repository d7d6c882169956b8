"""Train for a region with Lightning.

The loss is a submodule: its parameters are trained, moved to the device and saved with the rest. The validation metric
is a torchmetrics metric, so Lightning collects it over batches and processes.
"""

import logging

import lightning
import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

from pauci import MixedLoss, PAUCILoss
from pauci.data import StratifiedBatchSampler
from pauci.losses import CrossEntropyLoss
from pauci.metrics import StreamingPartialAUC


class Digit(lightning.LightningModule):
    """A linear scorer, trained for few false alarms."""

    def __init__(self) -> None:
        super().__init__()
        self.model = torch.nn.Linear(64, 1)
        self.loss = MixedLoss(PAUCILoss(max_fpr=0.15), CrossEntropyLoss(), weight=0.5)
        self.partial_auc = StreamingPartialAUC(max_fpr=0.05)

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        x, y = batch
        return self.loss(self.model(x), y)

    def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
        x, y = batch
        self.partial_auc.update(self.model(x).flatten(), y)

    def on_validation_epoch_end(self) -> None:
        self.log("partial AUC", self.partial_auc.compute())
        self.partial_auc.reset()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        groups = [{"params": list(self.model.parameters()), "weight_decay": 0.1}, *self.loss.param_groups()]
        return torch.optim.AdamW(groups, lr=0.03)


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    x, y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(digits == 8)
    batches = StratifiedBatchSampler(y[:900], 150, positive_ratio=0.2, seed=0)
    train = DataLoader(TensorDataset(x[:900], y[:900]), batch_sampler=batches)
    val = DataLoader(TensorDataset(x[900:], y[900:]), batch_size=300)
    logging.getLogger("lightning.pytorch").setLevel("ERROR")
    lightning.seed_everything(0, verbose=False)
    trainer = lightning.Trainer(
        max_epochs=15,
        accelerator="cpu",
        num_sanity_val_steps=0,  # a first glance at validation data may hold one class only
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Digit(), train, val)
    print(f"{trainer.callback_metrics['partial AUC']:.3f} at FPR <= 0.05")


if __name__ == "__main__":
    main()
