"""Judge two models in the region you will operate in.

Two classifiers of the same cases are compared at FPR <= 0.05: partial AUC with intervals, the paired difference, and a
threshold whose *true* false positive rate stays within the budget with 95% confidence. Writes judge_two_models.png.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pauci import Region
from pauci.metrics import compare_partial_auc, partial_auc_interval, threshold_at_fpr
from pauci.metrics.region_curve import RegionCurve
from pauci.report.figures import roc, save


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    malignant = y == 0
    models = {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
        "random forest": RandomForestClassifier(100, random_state=0),
    }
    scores = {
        name: cross_val_predict(model, X, malignant, cv=5, method="predict_proba")[:, 1]
        for name, model in models.items()
    }
    region = Region(max_fpr=0.05)
    for name, score in scores.items():
        found = partial_auc_interval(malignant, score, region=region)
        print(f"{name}: {found.estimate:.3f} [{found.low:.3f}, {found.high:.3f}]")
    gain = compare_partial_auc(malignant, scores["logistic regression"], scores["random forest"], region=region)
    print(f"difference: {gain.difference:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}], p = {gain.p_value:.2f}")
    promise = threshold_at_fpr(malignant, scores["logistic regression"], max_fpr=0.05, confidence=0.95)
    print(f"act from {promise.threshold!r} on: TPR {promise.tpr:.3f}, true FPR <= {promise.fpr_upper:.3f} (95%)")
    curves = [RegionCurve.of(malignant, score, region, name=name) for name, score in scores.items()]
    save(roc(curves, region=region), "judge_two_models.png")


if __name__ == "__main__":
    main()
