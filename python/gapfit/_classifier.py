"""What classifiers share."""

from sklearn.base import ClassifierMixin


class ScoredClassifier(ClassifierMixin):
    """A classifier whose ``_scores`` has a column per class, or one for the second of two."""

    def decision_function(self, X):
        """The score of each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes positive for the second, for the logistic loss the logarithm of its odds; else a
            column per class.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """The class that each row most likely has.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]
