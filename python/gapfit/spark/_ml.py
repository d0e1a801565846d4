"""A stage of ``pyspark.ml``."""

import os

from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasInputCols,
    HasLabelCol,
    HasMaxIter,
    HasPredictionCol,
    HasTol,
    HasWeightCol,
)
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import SparkSession

from .. import _gapfit, _model_file
from ..ridge import ImputedRidge
from ._jobs import fit, predict

# The model in the folder that a stage is saved in: the file that gapfit.load and gapfit predict read.
_FILE = "model.gapfit"


class _Settings(HasInputCols, HasLabelCol, HasWeightCol, HasPredictionCol, HasTol, HasMaxIter):
    """The parameters of :class:`gapfit.ImputedRidge`, as ``pyspark.ml`` writes them."""

    alpha = Param(Params._dummy(), "alpha", "weight of the penalty; tuned unless it is set", TypeConverters.toFloat)
    gamma = Param(
        Params._dummy(), "gamma", "how much may be learnt from holes; tuned unless it is set", TypeConverters.toFloat
    )
    base = Param(Params._dummy(), "base", "what holes are filled by", TypeConverters.toString)
    scale = Param(Params._dummy(), "scale", "unit of the columns", TypeConverters.toString)
    clip = Param(Params._dummy(), "clip", "quantile at which cells are cut", TypeConverters.toFloat)
    fitIntercept = Param(Params._dummy(), "fitIntercept", "whether there is a constant", TypeConverters.toBoolean)
    numFolds = Param(Params._dummy(), "numFolds", "folds of the tuning, at most 10", TypeConverters.toInt)

    def __init__(self):
        super().__init__()
        self._setDefault(
            base="auto", scale="standard", clip=0.002, fitIntercept=True, numFolds=5, tol=1e-8, maxIter=200
        )

    def _given(self, param):
        return self.getOrDefault(param) if self.isDefined(param) else None


class ImputedRidgeEstimator(Estimator, _Settings, DefaultParamsReadable, DefaultParamsWritable):
    """:class:`gapfit.ImputedRidge` as an estimator of ``pyspark.ml``, for its pipelines and searches.

    Parameters
    ----------
    inputCols : list of str
        The columns to learn from: numbers, truths, texts or dates, with nulls.
    labelCol : str, default="label"
        The column to predict.
    weightCol : str, default=None
        The column of row weights.
    predictionCol : str, default="prediction"
        The column that predictions go to.
    alpha, gamma : float, default=None
        The parameters; tuned unless they are given.
    base, scale, clip, fitIntercept, numFolds, tol, maxIter
        As ``base``, ``scale``, ``clip``, ``fit_intercept``, ``cv``, ``tol`` and ``max_iter`` of
        :class:`gapfit.ImputedRidge`.

    Examples
    --------
    >>> from gapfit.spark import ImputedRidgeEstimator
    >>> def example(df):
    ...     stage = ImputedRidgeEstimator(inputCols=["size", "colour"], labelCol="price")
    ...     model = stage.fit(df)
    ...     model.write().overwrite().save("price-model")
    ...     return model.transform(df)
    """

    @keyword_only
    def __init__(
        self,
        *,
        inputCols=None,
        labelCol="label",
        weightCol=None,
        predictionCol="prediction",
        alpha=None,
        gamma=None,
        base="auto",
        scale="standard",
        clip=0.002,
        fitIntercept=True,
        numFolds=5,
        tol=1e-8,
        maxIter=200,
    ):
        super().__init__()
        self.setParams(**self._input_kwargs)

    @keyword_only
    def setParams(self, **parameters):
        """Sets parameters by name; None leaves one as it is.

        Parameters
        ----------
        **parameters
            As in the constructor.
        """
        return self._set(**{name: value for name, value in parameters.items() if value is not None})

    def _fit(self, dataset):
        estimator = ImputedRidge(
            self._given(self.alpha),
            self._given(self.gamma),
            base=self.getOrDefault(self.base),
            scale=self.getOrDefault(self.scale),
            clip=self.getOrDefault(self.clip),
            fit_intercept=self.getOrDefault(self.fitIntercept),
            cv=self.getOrDefault(self.numFolds),
            tol=self.getTol(),
            max_iter=self.getMaxIter(),
        )
        columns = (self.getInputCols(), self.getLabelCol())
        model = fit(dataset, *columns, weight=self._given(self.weightCol), estimator=estimator)
        return self._copyValues(ImputedRidgeModel(model))


class ImputedRidgeModel(Model, _Settings, MLReadable, MLWritable):
    """What :class:`ImputedRidgeEstimator` learns; ``model`` is the fitted :class:`gapfit.ImputedRidge`.

    It is saved as a folder with the model file ``model.gapfit`` in it, which :func:`gapfit.load` and ``gapfit
    predict`` read, too; loading runs no code of the file.

    Parameters
    ----------
    model : ImputedRidge
        The fitted estimator.
    """

    def __init__(self, model=None):
        super().__init__()
        self.model = model

    def _transform(self, dataset):
        return predict(self.model, dataset, output=self.getPredictionCol())

    def write(self):
        """What saves it.

        Returns
        -------
        MLWriter
        """
        return _Writer(self)

    @classmethod
    def read(cls):
        """What loads it.

        Returns
        -------
        MLReader
        """
        return _Reader(cls)


class _Writer(MLWriter):
    def __init__(self, instance):
        super().__init__()
        self._instance = instance

    def saveImpl(self, path):
        spark = SparkSession.active()
        DefaultParamsWriter.saveMetadata(self._instance, path, spark)
        # by Hadoop, since the path may be of any of its file systems
        hadoop = spark._jvm.org.apache.hadoop.fs
        file = hadoop.Path(os.path.join(path, _FILE))
        out = file.getFileSystem(spark._jsc.hadoopConfiguration()).create(file)
        try:
            out.write(bytearray(self._instance.model._model.to_bytes()))
        finally:
            out.close()


class _Reader(MLReader):
    def __init__(self, cls):
        super().__init__()
        self._class = cls

    def load(self, path):
        spark = SparkSession.active()
        metadata = DefaultParamsReader.loadMetadata(path, spark)
        file = spark.read.format("binaryFile").load(os.path.join(path, _FILE)).first()
        model = _model_file.of_model(_gapfit.Model.from_bytes(bytes(file["content"])))
        loaded = self._class(model)
        loaded._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(loaded, metadata)
        return loaded
