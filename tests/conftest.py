import os

import torch
from hypothesis import settings

# Without a GPU its kernels run on the CPU, by Triton's interpreter; Triton reads this when it is imported.
if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")

# A busy machine is no failure.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
