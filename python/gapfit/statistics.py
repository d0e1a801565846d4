"""Sums that stand for the rows of a table, and add up over its parts."""

import os
import warnings

import numpy as np
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import _check_sample_weight

from . import _gapfit, _input, _model_file, _settings
from .exceptions import DataWarning


class _Sum:
    """What is made from parts of a table and added up, around its compiled counterpart."""

    def __init__(self, inner):
        if not isinstance(inner, self._inner_type):
            raise TypeError(f"{type(self).__name__}: expected from_arrow or from_bytes to make it, got a call")
        self._inner = inner

    def __add__(self, other):
        if not isinstance(other, type(self)):
            return NotImplemented
        both = type(self)(self._inner.copy())
        both._inner.merge(other._inner)
        return both

    def __radd__(self, other):
        # so that sum() takes parts
        return type(self)(self._inner.copy()) if isinstance(other, int) and other == 0 else NotImplemented

    def __iadd__(self, other):
        if not isinstance(other, type(self)):
            return NotImplemented
        self._inner.merge(other._inner.copy() if other is self else other._inner)
        return self

    def to_bytes(self):
        """What :meth:`from_bytes` reads, in this process or another.

        Returns
        -------
        bytes
        """
        return self._inner.to_bytes()

    @classmethod
    def from_bytes(cls, data):
        """What :meth:`to_bytes` wrote. It runs no code, unlike a pickle, and is checked.

        Parameters
        ----------
        data : bytes
            The bytes.
        """
        return cls(cls._inner_type.from_bytes(bytes(data)))

    @property
    def feature_names(self):
        """The names of the features: the columns, and ``column=level`` for each level of a category."""
        return self._inner.feature_names


class Columns(_Sum):
    """What the columns of a table are, found from the rows of its parts.

    Which levels a category has is known only when all rows have been seen. Parts that are seen by different
    processes are first looked at: each has its ``Columns``, and those of all parts add up to those of the
    table, with which each process can then make :class:`Statistics` of its part.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from gapfit import Columns, Statistics
    >>> parts = [pa.table({"colour": c, "y": y}) for c, y in [(["red"], [1.0]), (["blue", None], [2.0, 3.0])]]
    >>> columns = sum(Columns.from_arrow(part, "y") for part in parts)
    >>> columns.feature_names
    ['colour=blue', 'colour=red']
    >>> sum(Statistics.from_arrow(part, "y", columns=columns) for part in parts).n_rows
    3
    """

    _inner_type = _gapfit.Columns

    @classmethod
    def from_arrow(cls, table, target, *, weight=None):
        """What the columns of these rows are.

        Parameters
        ----------
        table : data frame, Arrow table, record batch or stream of batches
            The rows; a stream is read batch by batch. Rows without a target have no say.
        target : str
            The column to predict.
        weight : str, default=None
            The column of row weights.

        Returns
        -------
        Columns
        """
        return cls(_gapfit.Columns.from_frame(table, (target, weight)))


class Statistics(_Sum):
    """Sums that stand for the rows of a table in fits with the squared loss.

    They take little room however many rows there are, and those of parts of a table add up (``a + b``) to those
    of the whole, on different days or machines. ``fit_statistics`` of an estimator learns from them. Few rows are
    kept as they are, and so are those with a cell in a tail: where values are clipped is known only when all rows
    have been seen.

    Categories of parts may have different levels; the sum has those of both. Levels so rare in one part that
    they share a feature there (``other``) share it in the sum: give ``columns``, found in all parts, to treat them
    as a fit to the whole table does.

    Attributes
    ----------
    n_rows : int
        The rows that count.
    n_kept : int
        Those that are kept as they are.
    by_pattern : bool
        Whether patterns of holes are told apart. Where they are too many (256 MB of sums) they are added up, and fits
        are on the bases ``"mean"`` and ``"zero"``.
    feature_names : list of str
        The names of the features.
    target : str
        The name of the target.
    clip : float
        The largest quantile that fits can clip at.
    tuning : bool
        Whether there are sums by block, which tuning needs.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from gapfit import ImputedRidge, Statistics
    >>> may = Statistics.from_arrow(pa.table({"size": [1.0, None, 3.0], "price": [1.0, 5.0, 3.0]}), "price")
    >>> june = Statistics.from_arrow(pa.table({"size": [2.0, None], "price": [2.0, 5.5]}), "price")
    >>> both = may + june
    >>> both.n_rows, both.feature_names
    (5, ['size'])
    >>> model = ImputedRidge(alpha=0.1, gamma=1.0).fit_statistics(both)
    >>> bool(model.predict([[float("nan")]])[0] > 4)
    True
    """

    _inner_type = _gapfit.Statistics

    @classmethod
    def from_arrow(
        cls, table, target, *, weight=None, columns=None, like=None, clip=None, tuning=None, n_jobs=None
    ):
        """The statistics of these rows, as ``gapfit stats`` makes them.

        Parameters
        ----------
        table : data frame, Arrow table, record batch or stream of batches
            The rows; all columns but target and weight are features. A stream is read batch by batch where
            ``columns`` or ``like`` is given. Rows without a target are left out.
        target : str
            The column to predict.
        weight : str, default=None
            The column of row weights.
        columns : Columns, default=None
            What the columns are, as found in all parts; None finds it in these rows.
        like : Statistics, default=None
            Others whose columns, units and settings are taken over, and whose rows do not count. Parts that all
            start from the statistics of a sample of the table can be sorted or differ in any way.
        clip : float, default=0.002
            The largest quantile that fits can clip at; 0 keeps no rows for that.
        tuning : bool, default=True
            Whether tuning will be possible; without it they take a tenth of the room.
        n_jobs : int or None, default=None
            Threads, as joblib counts them. The result does not depend on it.

        Returns
        -------
        Statistics
        """
        names, n_jobs = (target, weight), _settings.threads(n_jobs)
        if like is None:
            how = _how(clip, tuning)
            if columns is None:
                read = _gapfit.Statistics.from_frame(table, names, how, n_jobs)
            else:
                read = _gapfit.Statistics.of_columns(table, names, columns._inner, how, n_jobs)
        else:
            for name, value in (("columns", columns), ("clip", clip), ("tuning", tuning)):
                if value is not None:
                    raise ValueError(f"{name}: expected None beside like, which says it, got {value!r}")
            read = _gapfit.Statistics.like(table, names, like._inner, n_jobs)
        inner, dropped, unseen = read
        if dropped:
            total = dropped + inner.n_rows
            text = f"{dropped} of {total} rows have no target {target!r} and are left out"
            warnings.warn(text, DataWarning, stacklevel=2)
        _input.warn_unseen(unseen, stacklevel=3)
        return cls(inner)

    @classmethod
    def from_array(cls, X, y, sample_weight=None, *, clip=None, tuning=None, n_jobs=None):
        """The statistics of rows and their target, in the form that ``fit`` of an estimator takes.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The rows; missing cells are NaN, None, null or ``pd.NA``.
        y : array of shape (n_samples,)
            The target.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the rows.
        clip, tuning, n_jobs
            As in :meth:`from_arrow`.

        Returns
        -------
        Statistics
        """
        name = _input.target_name(y)
        y = np.ascontiguousarray(column_or_1d(y), dtype=np.float64)
        check_consistent_length(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, y, dtype=np.float64)
        target = {"y": y, "weights": sample_weight, "classes": None, "name": name}
        table = _input.read_plain(X)
        return cls(_gapfit.Statistics.of_table(table, target, _how(clip, tuning), _settings.threads(n_jobs)))

    @property
    def n_rows(self):
        """The rows that count."""
        return self._inner.n_rows

    @property
    def n_kept(self):
        """The rows that are kept as they are."""
        return self._inner.n_kept

    @property
    def by_pattern(self):
        """Whether patterns of holes are told apart."""
        return self._inner.by_pattern

    @property
    def target(self):
        """The name of the target."""
        return self._inner.target

    @property
    def clip(self):
        """The largest quantile that fits can clip at."""
        return self._inner.how[0]

    @property
    def tuning(self):
        """Whether there are sums by block, which tuning needs."""
        return self._inner.how[1]

    def save(self, path):
        """Writes the file that :meth:`load` and ``gapfit fit --from-stats`` read.

        Parameters
        ----------
        path : str or path
            Where it goes; what is there is replaced.
        """
        _model_file.write(path, self.to_bytes())

    @classmethod
    def load(cls, path):
        """The statistics in a file of :meth:`save` or ``gapfit stats``.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Statistics
        """
        with open(path, "rb") as file:
            data = file.read()
        try:
            return cls.from_bytes(data)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None

    def __repr__(self):
        return f"<Statistics of {self.n_rows} rows for {self.target!r}>"


def _how(clip, tuning):
    clip = 0.002 if clip is None else _settings.number("clip", clip)
    return clip, True if tuning is None else bool(tuning)
