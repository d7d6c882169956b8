"""The loop: epochs of steps, an evaluation after each, checkpoints between them."""

import math
from collections.abc import Generator, Iterable, Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules.dropout import _DropoutNd

from pauci.data.sampler import StratifiedBatchSampler
from pauci.errors import DivergedError, InputError, ScoreError
from pauci.training.capture import capture
from pauci.training.checkpoint import Checkpoints
from pauci.training.divergence import explain, first_bad
from pauci.training.evaluation import all_metrics, score_part
from pauci.training.inputs import Inputs
from pauci.training.keeper import Keeper
from pauci.training.lanes import in_lane
from pauci.training.network import build_state
from pauci.training.observers import Observer, Start
from pauci.training.passes import CapturedPass, Pass
from pauci.training.ranks import average_buffers
from pauci.training.recipe import Recipe
from pauci.training.schedule import rate_factor
from pauci.training.seeding import seed_default_generators
from pauci.training.sitting import Sitting
from pauci.training.state import State, copy_weights
from pauci.training.step import Batch, Stepper


class Loop:
    """One run of a recipe on data that are on the device.

    Random numbers are a function of seed, epoch, batch and rank: nothing about them needs saving.

    Parameters
    ----------
    recipe, inputs, model
        What to do, on what, and the network with the weights to start from.
    here : Sitting
        Where and with whom; when asked to stop, the loop writes a checkpoint and raises `KeyboardInterrupt`.
    checkpoints : Checkpoints, optional
        Where the state is saved, every `save_every` seconds.
    compiled, graphs : bool
        Whether to compile the network, and to replay the passes of a step as a CUDA graph.
    """

    def __init__(
        self,
        recipe: Recipe,
        inputs: Inputs,
        model: nn.Module,
        here: Sitting,
        *,
        checkpoints: Checkpoints | None = None,
        save_every: float = math.inf,
        compiled: bool = False,
        graphs: bool = False,
    ) -> None:
        device, ranks = here.device, here.ranks
        self.recipe, self.inputs, self.device, self.ranks, self._stop = recipe, inputs, device, ranks, here.stop
        self._sampler = StratifiedBatchSampler(
            inputs.train.y,
            recipe.batch_size,
            positive_ratio=recipe.positive_ratio or None,
            seed=recipe.seed,
            num_replicas=ranks.size,
            rank=ranks.rank,
        )
        self.per_epoch = math.ceil(len(self._sampler) / recipe.accumulate)
        self.total = self.per_epoch * recipe.epochs
        self.state = build_state(
            recipe, model, device=device, steps_per_epoch=self.per_epoch, data_size=len(inputs.train), ranks=ranks
        )
        self._keeper = Keeper(self.state, checkpoints, ranks=ranks, device=device, every=save_every)
        self._generator = torch.Generator(device)
        # Elsewhere a look at each loss would make the host wait for the device.
        self._looks = device.type == "cpu"
        if compiled:
            self.state.model.compile()
            if self.state.average is not None:
                self.state.average.model.compile()
        passes = Pass(self.state, recipe.precision, ranks, compiled=compiled).train()
        self._step = Stepper(self.state, self._captured(passes) if graphs else passes, recipe, ranks)
        val_scores = partial(score_part, self.state.judged, inputs.val, precision=recipe.precision)
        self._val_scores = capture(val_scores) if graphs else val_scores

    def _captured(self, passes: Pass) -> CapturedPass:
        if in_lane() and any(getattr(module, "p", 0) for module in passes.modules() if isinstance(module, _DropoutNd)):
            raise InputError(
                "graphs=True: dropout of runs side by side would draw from one generator; leave graphs out, or use one "
                "lane."
            )
        (row,) = self._groups(0)[0].unbind()
        return CapturedPass(passes, (self.inputs.train.pick(row), self.inputs.train.y[row], row))

    def resume(self) -> bool:
        """Continue from the newest usable checkpoint; False when there is none."""
        return self._keeper.resume()

    def steps(self, observers: Sequence[Observer], *, is_warmup: bool = False) -> Generator[None, None, State]:
        """Train to the end, with a pause after every step.

        Parameters
        ----------
        observers : sequence of Observer
            Told what happens.
        is_warmup : bool, default False
            Whether this is the warm-up of another recipe, which observers cannot end.

        Returns
        -------
        State
            As it is at the end; ``best`` holds the weights to keep.
        """
        progress = self.state.progress
        self._keeper.start_clock()
        start = Start(self.recipe, self.total, progress.step, progress.history, is_warmup)
        for observer in observers:
            observer.start(start)
        if self.recipe.rollback.times and progress.step == 0:
            self._save()
        wants_more = True
        while wants_more and not self._is_over():
            try:
                wants_more = (yield from self._epoch(observers)) or is_warmup
            except DivergedError as error:
                if not self._keeper.roll_back(self.recipe.rollback, bad_from=error.step):
                    raise
        # Whoever looks at the run later finds the inner variables of its loss here.
        self._save()
        # Gradients lie in the memory of the captured graph, which could not be given back before them.
        self.state.optimizer.zero_grad(set_to_none=True)
        return self.state

    def _is_over(self) -> bool:
        progress, patience = self.state.progress, self.recipe.selection.patience
        return progress.step >= self.total or 0 < patience <= progress.epochs_since_best

    def _epoch(self, observers: Iterable[Observer]) -> Generator[None, None, bool]:
        state, progress = self.state, self.state.progress
        epoch, first = divmod(progress.step, self.per_epoch)
        groups = self._groups(epoch)
        seeds = (
            np.random.SeedSequence((self.recipe.seed, epoch, self.ranks.rank)).generate_state(self.per_epoch).tolist()
        )
        slots = state.losses.unbind()
        state.model.train()
        for position in range(first, self.per_epoch):
            self._seed(seeds[position])
            loss = self._guarded_step(groups[position], self._rate(progress.step))
            if self._looks:
                self._look_at(loss, epoch, position)
            slots[position].copy_(loss)
            if state.average is not None:
                state.average.update(step=progress.step)
            progress.step += 1
            for observer in observers:
                observer.step(progress.step)
            if position + 1 < self.per_epoch:
                # Several processes can agree to stop only where all of them ask: after an epoch.
                if self._stop.asked and self.ranks.size == 1:
                    self._interrupted()
                if self._keeper.is_due:
                    self._save()
            yield
        wants_more = yield from self._finish_epoch(epoch, observers)
        if self.ranks.agree(self._stop.asked, self.device):
            self._interrupted()
        if self._keeper.is_due:
            self._save()
        return not self.ranks.agree(not wants_more, self.device)

    def _groups(self, epoch: int) -> tuple[Tensor, ...]:
        """Rows of each step's batches."""
        return torch.split(self._sampler.indices(epoch).to(self.device), self.recipe.accumulate)

    def _rate(self, step: int) -> float:
        return rate_factor(self.recipe.schedule, step, self.total) * self.state.progress.rate_scale

    def _guarded_step(self, rows: Tensor, rate: float) -> Tensor:
        train = self.inputs.train
        batches: list[Batch] = [
            (train.pick(row, self._generator), train.y.index_select(0, row), row) for row in rows.unbind()
        ]
        try:
            return self._step(batches, rate)
        except InputError:
            # Losses refuse numbers that are not finite; anything else they complain about is not divergence.
            if self._is_finite(batches):
                raise
            return torch.full((), math.nan)

    def _look_at(self, loss: Tensor, epoch: int, position: int) -> None:
        """Agree on what a step left behind, and stop where its loss is not finite."""
        average_buffers(self.state.model, self.ranks)  # on GPUs the layers of the network see to that themselves
        # It is that of all processes: they go back together, or none.
        if not math.isfinite(loss.item()):
            raise self._diverged(epoch, position)

    @torch.no_grad()
    def _is_finite(self, batches: Iterable[Batch]) -> bool:
        numbers = [*self.state.loss.parameters(), *(self.state.model(x) for x, _, _ in batches)]
        return all(bool(torch.isfinite(values).all()) for values in numbers)

    def _finish_epoch(self, epoch: int, observers: Iterable[Observer]) -> Generator[None, None, bool]:
        state, progress = self.state, self.state.progress
        average_buffers(state.judged, self.ranks)
        scores = self._val_scores()
        yield from self._device_done()
        if (bad := first_bad(state.losses)) is not None:
            raise self._diverged(epoch, bad)
        try:
            metrics = all_metrics(self.inputs.val.y, scores, self.recipe.region)
        except ScoreError:
            raise self._diverged(epoch, self.per_epoch - 1) from None
        self._keeper.count_time()
        record = {
            "epoch": epoch + 1,
            "step": progress.step,
            "loss": float(state.losses.mean()),
            "rate": self._rate(progress.step - 1),
            "seconds": progress.seconds,
            "val": metrics,
        }
        progress.history.append(record)
        if progress.is_last_best(self.recipe.selection.metric):
            progress.best_epoch = epoch + 1
            state.best = copy_weights(state.judged)
        if callable(advance := getattr(state.loss, "advance", None)):
            advance()
        state.losses.zero_()
        wishes = [observer.epoch(record) for observer in observers]
        return True not in wishes

    def _device_done(self) -> Generator[None, None, None]:
        """Pause until the device has done what it was asked to: meanwhile other runs give it work."""
        if self.device.type == "cuda":
            done = torch.cuda.Event()  # type: ignore[no-untyped-call]
            done.record()
            while not done.query():  # type: ignore[no-untyped-call]
                yield

    def _seed(self, seed: int) -> None:
        self._generator.manual_seed(seed)
        seed_default_generators(seed, self.device)

    def _save(self) -> None:
        """Write a checkpoint, unless the losses of this epoch say that the state is no longer good."""
        if self._keeper.checkpoints is None:
            return
        epoch, done = divmod(self.state.progress.step, self.per_epoch)
        if done and (bad := first_bad(self.state.losses[:done])) is not None:
            if self.ranks.size > 1:
                return  # the others find out when all of them look, at the end of the epoch
            raise self._diverged(epoch, bad)
        self._keeper.save()

    def _interrupted(self) -> None:
        self._save()
        raise KeyboardInterrupt

    def _diverged(self, epoch: int, position: int) -> DivergedError:
        step = epoch * self.per_epoch + position
        rows = self._groups(epoch)[position].reshape(-1)
        return explain(
            self.recipe,
            self.inputs.train,
            rows,
            step=step + 1,
            epoch=epoch + 1,
            batch=position + 1,
            rate=self._rate(step),
        )
