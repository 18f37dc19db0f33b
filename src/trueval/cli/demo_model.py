"""Cross-validate a scikit-learn model on the folds of trueval; out-of-fold scores.

Run it beside labels.csv, features.csv and folds.csv; it writes scores.npz. Put your own
model in the place of this one.
"""

from pathlib import Path

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from trueval import align
from trueval.data import read_folds, read_labels, read_scores, write_scores


def main(folder: Path) -> None:
    """Fit on all folds but one, score that one, for each fold in turn."""
    labels = read_labels(folder / "labels.csv")
    folds = read_folds(folder / "folds.csv", labels)
    features = read_scores(folder / "features.csv")
    X = align(features, rows=labels.index, extra="drop").matrix
    # The usual help for rare classes; it also makes scores of two classes unlike.
    model = OneVsRestClassifier(
        make_pipeline(
            StandardScaler(), LogisticRegression(class_weight="balanced", solver="liblinear")
        )
    )
    # Whole numbers of full size: scikit-learn counts classes in the type of the labels.
    y = labels.toarray().astype(int)
    cv = PredefinedSplit(folds.folds)
    scores = cross_val_predict(model, X, y, cv=cv, method="decision_function")
    write_scores(folder / "scores.npz", scores, labels=labels)


if __name__ == "__main__":
    main(Path(__file__).parent)
