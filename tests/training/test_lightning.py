"""What the page about Lightning says of several devices."""

import lightning
import pytest
import torch

from lightning_scorer import Scorer
from pauci.metrics import partial_auc_score

QUIET = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}


@pytest.mark.filterwarnings("ignore:::lightning", "ignore:::torch")
def test_two_processes_train_the_model_that_one_would_and_log_the_same():
    found = []
    for devices, strategy in ((1, "auto"), (2, "ddp_spawn")):
        scorer = Scorer()
        trainer = lightning.Trainer(
            max_epochs=2,
            accelerator="cpu",
            devices=devices,
            strategy=strategy,
            use_distributed_sampler=False,
            num_sanity_val_steps=0,
            **QUIET,
        )
        trainer.fit(scorer)
        logged = trainer.callback_metrics["partial AUC"].item()
        scores = scorer.model(scorer.x).detach().flatten()
        assert logged == pytest.approx(partial_auc_score(scorer.y, scores, max_fpr=0.3), abs=1e-9)
        found.append(scorer.model.weight.detach())
    torch.testing.assert_close(*found, rtol=1e-5, atol=1e-6)
