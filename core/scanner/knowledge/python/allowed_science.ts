import type { AllowedNames } from "./allowed_python.ts";

const SCALARS = `
  bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intc uintc intp uintp longlong
  ulonglong float16 float32 float64 float128 longdouble half single double complex64 complex128
  complex256 clongdouble str_ bytes_ object_ void datetime64 timedelta64 string_ unicode_ number
  integer floating generic
`;

const DTYPES = `
  BoolDType Int8DType UInt8DType Int16DType UInt16DType Int32DType UInt32DType Int64DType
  UInt64DType Float16DType Float32DType Float64DType LongDoubleDType Complex64DType Complex128DType
  CLongDoubleDType ObjectDType BytesDType StrDType VoidDType DateTime64DType TimeDelta64DType
  StringDType LongDType ULongDType LongLongDType ULongLongDType IntDType UIntDType ByteDType
  UByteDType ShortDType UShortDType
`;

/** Functions of numbers, which estimators store to apply them to data. */
const FUNCTIONS = `
  absolute abs fabs sign negative positive reciprocal square sqrt cbrt exp exp2 expm1 log log2 log10
  log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh degrees
  radians deg2rad rad2deg ceil floor rint trunc clip maximum minimum fmax fmin add subtract multiply
  divide true_divide floor_divide power float_power mod remainder hypot logaddexp logaddexp2
  logical_and logical_or logical_xor logical_not isnan isinf isfinite mean median average std var sum
  prod max min amax amin argmax argmin nanmean nanmedian nanmax nanmin nanstd nanvar nansum ptp
  percentile quantile any all array asarray ravel nan_to_num round around transpose
`;

const BIT_GENERATORS: readonly AllowedNames[] = [
  ["numpy.random._mt19937", "MT19937"],
  ["numpy.random._pcg64", "PCG64 PCG64DXSM"],
  ["numpy.random._philox", "Philox"],
  ["numpy.random._sfc64", "SFC64"],
  ["numpy.random.bit_generator", "SeedSequence __pyx_unpickle_SeedSequence"],
];

const NUMPY_NAMES: readonly AllowedNames[] = [
  ["numpy", `dtype ndarray matrix recarray record poly1d ${SCALARS} ${FUNCTIONS}`],
  ["numpy.dtypes", DTYPES],
  ["numpy.core.multiarray", "_reconstruct scalar"],
  ["numpy._core.multiarray", "_reconstruct scalar"],
  ["numpy.core.numeric", "_frombuffer"],
  ["numpy._core.numeric", "_frombuffer"],
  ["numpy.core._internal", "_convert_to_stringdtype_kwargs _reconstruct"],
  ["numpy._core._internal", "_convert_to_stringdtype_kwargs"],
  ["numpy.core.records", "recarray record"],
  ["numpy.rec", "recarray record"],
  ["numpy.matrixlib.defmatrix", "matrix"],
  ["numpy.ma.core", "_mareconstruct MaskedArray MaskedConstant"],
  ["numpy.ma", "MaskedArray"],
  ["numpy.random._pickle", "__randomstate_ctor __generator_ctor __bit_generator_ctor"],
  ["numpy.random.mtrand", "RandomState"],
  ["numpy.random", "__RandomState_ctor RandomState"],
  ["numpy.random._generator", "Generator"],
  ["numpy.polynomial.polynomial", "Polynomial"],
  ...BIT_GENERATORS,
];

const SPARSE_NAMES: readonly AllowedNames[] = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]
  .flatMap((kind): AllowedNames[] => [
    [`scipy.sparse._${kind}`, `${kind}_matrix ${kind}_array`],
    [`scipy.sparse.${kind}`, `${kind}_matrix`],
  ]);

const PANDAS_NAMES: readonly AllowedNames[] = [
  [
    "pandas",
    `DataFrame Series Index Timestamp Timedelta Interval Period StringDtype ArrowDtype
    CategoricalDtype DatetimeTZDtype Int64Dtype BooleanDtype Float64Dtype SparseDtype RangeIndex
    DatetimeIndex TimedeltaIndex PeriodIndex IntervalIndex MultiIndex CategoricalIndex Categorical
    PeriodDtype IntervalDtype NA NaT Int8Dtype Int16Dtype Int32Dtype UInt8Dtype UInt16Dtype
    UInt32Dtype UInt64Dtype Float32Dtype`,
  ],
  ["pandas.core.frame", "DataFrame"],
  ["pandas.core.series", "Series"],
  ["pandas.core.internals.managers", "BlockManager SingleBlockManager"],
  ["pandas.core.internals.blocks", "new_block Block"],
  ["pandas._libs.internals", "_unpickle_block BlockManager BlockPlacement"],
  ["pandas.core.indexes.base", "Index _new_Index"],
  ["pandas.core.indexes.range", "RangeIndex"],
  ["pandas.core.indexes.multi", "MultiIndex"],
  ["pandas.core.indexes.datetimes", "DatetimeIndex _new_DatetimeIndex"],
  ["pandas.core.indexes.numeric", "Int64Index Float64Index UInt64Index"],
  ["pandas.core.indexes.category", "CategoricalIndex"],
  ["pandas.core.arrays.categorical", "Categorical"],
  ["pandas.core.arrays.datetimes", "DatetimeArray"],
  ["pandas.core.arrays.string_", "StringArray StringDtype"],
  ["pandas.core.arrays.integer", "IntegerArray"],
  ["pandas._libs.arrays", "__pyx_unpickle_NDArrayBacked"],
  ["pandas._libs.tslibs.timestamps", "_unpickle_timestamp Timestamp"],
  ["pandas._libs.tslibs.timedeltas", "_timedelta_unpickle Timedelta"],
  [
    "pandas._libs.tslibs.offsets",
    `Day Hour Minute Second MonthEnd BusinessDay Week MonthBegin QuarterEnd QuarterBegin YearEnd
    YearBegin BusinessMonthEnd BusinessMonthBegin Milli Micro Nano`,
  ],
  ["pandas.core.dtypes.dtypes", "CategoricalDtype DatetimeTZDtype PeriodDtype IntervalDtype"],
];

/** NumPy, SciPy, pandas, joblib and the boosting libraries. */
export const SCIENCE_NAMES: readonly AllowedNames[] = [
  ...NUMPY_NAMES,
  ...SPARSE_NAMES,
  ...PANDAS_NAMES,
  ["scipy.special._ufuncs", "expit logit log1p expm1 xlogy xlog1py"],
  ["scipy.spatial._kdtree", "KDTree"],
  ["scipy.spatial._ckdtree", "cKDTree"],
  ["scipy.spatial.ckdtree", "cKDTree"],
  ["scipy.interpolate._interpolate", "interp1d PPoly"],
  ["scipy.interpolate._bsplines", "BSpline"],
  ["joblib.numpy_pickle", "NumpyArrayWrapper NDArrayWrapper ZNDArrayWrapper"],
  ["joblib.numpy_pickle_compat", "NDArrayWrapper ZNDArrayWrapper"],
  ["sklearn.externals.joblib.numpy_pickle", "NumpyArrayWrapper NDArrayWrapper"],
  ["xgboost.core", "Booster"],
  [
    "xgboost.sklearn",
    "XGBModel XGBClassifier XGBRegressor XGBRanker XGBRFClassifier XGBRFRegressor",
  ],
  ["lightgbm.basic", "Booster"],
  ["lightgbm.sklearn", "LGBMModel LGBMClassifier LGBMRegressor LGBMRanker"],
  ["catboost.core", "CatBoost CatBoostClassifier CatBoostRegressor"],
  ["ml_dtypes", "bfloat16 float8_e4m3fn float8_e5m2 int4 uint4"],
  ["scipy.interpolate._cubic", "CubicSpline PchipInterpolator"],
  ["scipy.optimize._optimize", "OptimizeResult"],
  ["scipy.interpolate._rbfinterp", "RBFInterpolator"],
  ["scipy.interpolate._rgi", "RegularGridInterpolator"],
  ["scipy.spatial.transform._rotation", "Rotation"],
  ["scipy.interpolate._fitpack2", "LSQUnivariateSpline"],
  ["numpy.polynomial.chebyshev", "Chebyshev"],
  [
    "pandas.arrays",
    `ArrowStringArray ArrowExtensionArray IntegerArray BooleanArray FloatingArray SparseArray
    DatetimeArray TimedeltaArray PeriodArray StringArray NumpyExtensionArray`,
  ],
  ["pandas._libs.tslibs.nattype", "_nat_unpickle"],
  ["pandas._libs.sparse", "IntIndex BlockIndex"],
  ["pyarrow.lib", "_restore_array type_for_alias py_buffer"],
  ["numpy.polynomial.legendre", "Legendre"],
  ["numpy.polynomial.hermite", "Hermite"],
  ["numpy.polynomial.hermite_e", "HermiteE"],
  ["numpy.polynomial.laguerre", "Laguerre"],
];
