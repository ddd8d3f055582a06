"""Prints pickles that the packages of this Python write, in base64: each object in several protocols."""

import argparse
import array
import base64
import collections
import datetime
import decimal
import fractions
import functools
import importlib
import io
import ipaddress
import itertools
import operator
import pathlib
import pickle
import random
import types
import uuid
import warnings

warnings.simplefilter("ignore")


def of_python() -> list:
    return [
        {"a": [1, 2.5, None, True, b"x", 1j, {3}, frozenset([4])], "b": (1, (2, "\u20ac"))},
        collections.OrderedDict(a=1), collections.Counter("abca"), collections.defaultdict(list, a=[1]),
        collections.deque([1, 2], 5), collections.UserDict(a=1), collections.ChainMap({"a": 1}),
        datetime.datetime(2020, 1, 2, 3, tzinfo=datetime.timezone.utc), datetime.timedelta(1, 2),
        decimal.Decimal("1.5"), fractions.Fraction(1, 3), uuid.UUID(int=5), pathlib.PurePosixPath("a/b"),
        array.array("d", [1, 2]), argparse.Namespace(a=1), types.SimpleNamespace(a=[1]),
        functools.partial(int, base=2), operator.itemgetter(1, 2), io.BytesIO(b"abc"), slice(1, 2),
        range(5), random.Random(1), ipaddress.ip_address("::1"), itertools.count(3), bytearray(b"abc"),
    ]


def of_numpy() -> list:
    import numpy

    return [
        numpy.arange(3.0), numpy.float32(1), numpy.dtype([("a", "<f8"), ("b", "O")]),
        numpy.array([None, "a"], object), numpy.array(["2020"], "M8[D]"), numpy.random.default_rng(1),
        numpy.random.RandomState(1), numpy.ma.array([1, 2], mask=[0, 1]), numpy.poly1d([1, 2]), numpy.log1p,
        numpy.zeros((2, 2), order="F"), numpy.rec.array([(1, 2.0)]),
    ]


def of_pandas() -> list:
    import pandas

    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", None], "c": pandas.Categorical(["u", "v"])})
    return [
        frame, frame.set_index("b"), pandas.Series([1.5]), pandas.Timestamp("2020", tz="UTC"),
        pandas.Timedelta(1), pandas.MultiIndex.from_tuples([(1, "a")]), pandas.Interval(1, 2),
        pandas.period_range("2020", periods=2, freq="M"), pandas.array([1, None], dtype="Int64"),
    ]


def of_sklearn() -> list:
    from sklearn.cluster import KMeans
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils import Bunch

    x, y = [[0.0, 1], [1, 2], [2, 0], [3, 1]], [0, 1, 0, 1]
    models = [
        make_pipeline(StandardScaler(), LogisticRegression()), DecisionTreeClassifier(),
        KNeighborsClassifier(2, algorithm="kd_tree"), KMeans(2, n_init=1),
    ]
    texts = TfidfVectorizer().fit(["a bc", "bc de"])
    return [*[model.fit(x, y) for model in models], texts, FunctionTransformer(abs), Bunch(a=1)]


def of_scipy() -> list:
    import scipy.sparse
    import scipy.stats

    return [scipy.sparse.csr_matrix([[0, 1]]), scipy.stats.norm(1)]


def of_statsmodels() -> list:
    from statsmodels.tsa.arima.model import ARIMA

    return [ARIMA([1.0, 2, 1, 3, 2, 4], order=(1, 0, 0)).fit()]


def of_xgboost() -> list:
    import xgboost

    return [xgboost.XGBClassifier(n_estimators=1, max_depth=1).fit([[0], [1]], [0, 1])]


def of_lightgbm() -> list:
    import lightgbm

    return [lightgbm.LGBMRegressor(n_estimators=1, min_child_samples=1, verbose=-1).fit([[0], [1]], [0, 1])]


def of_torch() -> list:
    import torch

    return [
        torch.zeros(2), torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.ReLU()), torch.float32,
        torch.Size([1]), torch.device("cpu"), torch.Generator(),
    ]


def pickles(value: object, protocol: int) -> list[bytes]:
    """The pickle of an object; none in a protocol that cannot have it."""
    try:
        return [pickle.dumps(value, protocol)]
    except TypeError:
        return []


def joblib_files(objects: list) -> list[bytes]:
    import joblib

    files = [io.BytesIO() for _ in objects]
    for file, value in zip(files, objects):
        joblib.dump(value, file)
    return [file.getvalue() for file in files]


def attempt(make) -> list:
    """What a package makes; nothing if this Python lacks it."""
    try:
        importlib.import_module(make.__name__.removeprefix("of_"))
    except ImportError:
        return []
    return make()


made = of_python()
for make in (of_numpy, of_pandas, of_sklearn, of_scipy, of_statsmodels, of_xgboost, of_lightgbm, of_torch):
    made += attempt(make)
files = [file for value in made for protocol in (0, 2, 4, 5) for file in pickles(value, protocol)]
try:
    files += joblib_files(made)
except ImportError:
    pass
for file in files:
    print(base64.b64encode(file).decode())
