"""Recording work on a GPU as a CUDA graph."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from pauci.errors import InputError
from pauci.training.lanes import in_lane

#: Rounds before the capture, in which kernels are chosen, compiled and loaded.
_REHEARSALS = 3


def capture(work: Callable[[], Tensor]) -> Callable[[], Tensor]:
    """Record what a function launches, to be replayed as one launch.

    Parameters
    ----------
    work : callable
        Run a few times first. It must not look at values on the way.

    Returns
    -------
    callable
        Repeats the work on whatever the same tensors hold by then; every call overwrites what the one before returned.

    Raises
    ------
    InputError
        The work cannot be recorded.
    """
    present = torch.cuda.current_stream()
    # Recorded on the stream of a lane, the work uses that lane's scratch memory of cuBLAS: graphs that were recorded on
    # one and the same stream share it, and must not be replayed side by side.
    aside = present if in_lane() else torch.cuda.Stream()  # type: ignore[no-untyped-call]
    aside.wait_stream(present)
    with torch.cuda.stream(aside):
        for _ in range(_REHEARSALS):
            work()
    present.wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph, stream=aside):
            result = work()
    except RuntimeError as error:
        raise InputError(
            f"graphs=True: the passes of this network and loss cannot be captured ({error}); leave it out."
        ) from error

    def replay() -> Tensor:
        graph.replay()
        return result

    return replay


def is_capturable(loss: nn.Module, batch_size: int) -> bool:
    """Tell whether a recorded graph computes what the loss would, now and later, on batches of a size.

    The loss and those in it are asked by the attribute ``capturable``. Those without one are taken to be, unless they
    have a method ``advance``: what it changes on the host, a graph does not notice. An attribute ``largest_captured``
    limits the size of batches.

    Examples
    --------
    >>> from pauci.losses import AUCPolyLoss, PAUCILoss
    >>> is_capturable(AUCPolyLoss(warmup=5), 256), is_capturable(PAUCILoss(inner="solve"), 256)
    (True, False)
    """
    return all(
        getattr(part, "capturable", not hasattr(part, "advance"))
        and batch_size <= getattr(part, "largest_captured", batch_size)
        for part in loss.modules()
    )
