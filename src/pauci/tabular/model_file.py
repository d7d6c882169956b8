"""Models as files: what `pauci fit` writes and `pauci predict` reads."""

SUFFIX = ".pauci"


def load_model(path):
    raise SystemExit
