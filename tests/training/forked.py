"""Processes forked from a server that has imported everything once: they start within milliseconds."""

import multiprocessing

_PRELOAD = ["torch._dynamo", "pauci.training.run", "pauci.losses.pauci", "pauci.optim.asgda", "pauci.models.mlp"]

context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload(_PRELOAD)
