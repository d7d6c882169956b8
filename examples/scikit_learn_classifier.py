"""A scikit-learn classifier that keeps a false positive budget.

The digit 8 against the others, at FPR <= 5% with 95% confidence. The report says which candidates were kept and
what their mean is expected to gain over cross-entropy, which is one of them unless another was seen to be better.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from pauci import PartialAUCClassifier
from pauci.metrics import partial_auc_interval


def main() -> None:
    X, digits = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, digits == 8, test_size=0.5, random_state=0)
    model = PartialAUCClassifier(max_fpr=0.05, random_state=0).fit(X_train, y_train)
    print(model.report_)
    found = partial_auc_interval(y_test, model.decision_function(X_test), max_fpr=0.05)
    alarms = model.predict(X_test)
    print(f"test: partial AUC {found.estimate:.3f} [{found.low:.3f}, {found.high:.3f}]", end=", ")
    print(f"FPR {alarms[~y_test].mean():.3f}, TPR {alarms[y_test].mean():.3f}")


if __name__ == "__main__":
    main()
