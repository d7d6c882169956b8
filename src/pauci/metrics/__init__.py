"""Reference metrics for a region of the ROC plane: scores, intervals, thresholds, curves, streams."""
