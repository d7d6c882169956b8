"""Reports and figures: looking at results instead of reading them."""
