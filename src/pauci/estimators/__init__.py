"""scikit-learn estimators for a region of the ROC plane, and what they share with boosting."""
