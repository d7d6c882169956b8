"""Text of others in pictures."""


def literal(text: str) -> str:
    r"""Text as matplotlib shows it unchanged: no formulas, and no legend entry hidden by an underscore.

    Examples
    --------
    >>> literal("price in $, or $$")
    'price in \\$, or \\$\\$'
    """
    escaped = text.replace("$", r"\$")
    return f" {escaped}" if escaped.startswith("_") else escaped
