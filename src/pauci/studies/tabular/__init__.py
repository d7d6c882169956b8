"""The tabular study: cross-entropy, what practitioners do about imbalance, and ours, on real tables."""
