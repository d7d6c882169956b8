"""LightGBM and XGBoost for a region of the ROC plane: objectives, metrics and the anchored estimator."""
