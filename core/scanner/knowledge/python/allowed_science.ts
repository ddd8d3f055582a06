import {
  type AllowedNames,
  BARE,
  CONSTANT,
  DICT,
  FUNCTION,
  MADE,
  MAKER,
  NODES,
  OBJECT,
  REBUILDER,
  type Use,
} from "./uses.ts";

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

/** An array of what it is given: not of what another array or object shares. */
const FROM_BUFFER: Use = { as: "function", call: ["bytes", "inert", "plain", "text"] };

/** The class of a generator of random bits, or its name. */
const BIT_GENERATOR: Use = { as: "function", call: ["own class?"], built: true };

const BIT_GENERATORS: readonly AllowedNames[] = [
  ["numpy.random._mt19937", "MT19937"],
  ["numpy.random._pcg64", "PCG64 PCG64DXSM"],
  ["numpy.random._philox", "Philox"],
  ["numpy.random._sfc64", "SFC64"],
  ["numpy.random.bit_generator", "SeedSequence"],
  ["numpy.random.bit_generator", "__pyx_unpickle_SeedSequence", REBUILDER],
];

const ARRAY: Use = { state: "array" };
const ARRAY_MAKER: Use = { ...REBUILDER, ...ARRAY };

const NUMPY_NAMES: readonly AllowedNames[] = [
  ["numpy", "dtype", { call: ["dtype", "number*"], state: "dtype" }],
  ["numpy", "ndarray matrix recarray", ARRAY],
  ["numpy", `record poly1d ${SCALARS}`],
  ["numpy", FUNCTIONS, FUNCTION],
  ["numpy.dtypes", DTYPES],
  ["numpy.core.multiarray", "_reconstruct", ARRAY_MAKER],
  ["numpy._core.multiarray", "_reconstruct", ARRAY_MAKER],
  ["numpy.core.multiarray", "scalar", MAKER],
  ["numpy._core.multiarray", "scalar", MAKER],
  ["numpy.core.numeric", "_frombuffer", FROM_BUFFER],
  ["numpy._core.numeric", "_frombuffer", FROM_BUFFER],
  ["numpy.core._internal", "_reconstruct", ARRAY_MAKER],
  ["numpy.core._internal", "_convert_to_stringdtype_kwargs", MAKER],
  ["numpy._core._internal", "_convert_to_stringdtype_kwargs", MAKER],
  ["numpy.core.records", "recarray", ARRAY],
  ["numpy.core.records", "record"],
  ["numpy.rec", "recarray", ARRAY],
  ["numpy.rec", "record"],
  ["numpy.matrixlib.defmatrix", "matrix", ARRAY],
  [
    "numpy.ma.core",
    "_mareconstruct",
    { ...ARRAY_MAKER, call: ["own class", "own class", "inert*"] },
  ],
  ["numpy.ma.core", "MaskedArray"],
  ["numpy.ma.core", "MaskedConstant", MADE],
  ["numpy.ma", "MaskedArray"],
  [
    "numpy.random._pickle",
    "__randomstate_ctor __generator_ctor",
    { as: "function", call: ["inert?", "own maker?"], built: true },
  ],
  ["numpy.random._pickle", "__bit_generator_ctor", BIT_GENERATOR],
  ["numpy.random.mtrand", "RandomState"],
  ["numpy.random", "__RandomState_ctor", { as: "function", call: [], built: true }],
  ["numpy.random", "RandomState"],
  ["numpy.random._generator", "Generator"],
  ["numpy.polynomial.polynomial", "Polynomial"],
  ...BIT_GENERATORS,
];

const SPARSE_NAMES: readonly AllowedNames[] = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]
  .flatMap((kind): AllowedNames[] => {
    // Until SciPy 1.13, a matrix of keys is a dict.
    const use = kind === "dok" ? DICT : OBJECT;
    return [
      [`scipy.sparse._${kind}`, `${kind}_matrix ${kind}_array`, use],
      [`scipy.sparse.${kind}`, `${kind}_matrix`, use],
    ];
  });

const EXTENSION_TYPES = `
  StringDtype ArrowDtype CategoricalDtype DatetimeTZDtype PeriodDtype IntervalDtype SparseDtype
  BooleanDtype Int8Dtype Int16Dtype Int32Dtype Int64Dtype UInt8Dtype UInt16Dtype UInt32Dtype
  UInt64Dtype Float32Dtype Float64Dtype
`;

/** An array of pandas whose compiled code follows what only its state has. */
const COLUMN: Use = { needsState: true };
const FRAME: Use = { inertKeys: ["_flags"] };

const PANDAS_NAMES: readonly AllowedNames[] = [
  ["pandas", "DataFrame Series", FRAME],
  [
    "pandas",
    `Index RangeIndex DatetimeIndex TimedeltaIndex PeriodIndex IntervalIndex
    MultiIndex CategoricalIndex Categorical`,
  ],
  ["pandas", `Timestamp Timedelta Interval Period ${EXTENSION_TYPES}`, MADE],
  ["pandas", "NA NaT", CONSTANT],
  ["pandas._libs.missing", "NA", CONSTANT],
  ["pandas.core.frame", "DataFrame", FRAME],
  ["pandas.core.series", "Series", FRAME],
  ["pandas.core.internals", "BlockManager SingleBlockManager", MADE],
  ["pandas.core.internals.managers", "BlockManager SingleBlockManager", MADE],
  ["pandas.core.internals.blocks", "Block"],
  ["pandas.core.internals.blocks", "new_block", MAKER],
  ["pandas._libs.internals", "_unpickle_block", MAKER],
  ["pandas._libs.internals", "BlockManager BlockPlacement", MADE],
  ["pandas.core.indexes.base", "Index"],
  ["pandas.core.indexes.base", "_new_Index", REBUILDER],
  ["pandas.core.indexes.range", "RangeIndex"],
  ["pandas.core.indexes.multi", "MultiIndex"],
  ["pandas.core.indexes.datetimes", "DatetimeIndex"],
  ["pandas.core.indexes.datetimes", "_new_DatetimeIndex", REBUILDER],
  ["pandas.core.indexes.timedeltas", "TimedeltaIndex"],
  ["pandas.core.indexes.period", "PeriodIndex"],
  ["pandas.core.indexes.interval", "IntervalIndex"],
  ["pandas.core.indexes.interval", "_new_IntervalIndex", REBUILDER],
  ["pandas.core.indexes.numeric", "Int64Index Float64Index UInt64Index"],
  ["pandas.core.indexes.category", "CategoricalIndex"],
  ["pandas.core.arrays.categorical", "Categorical", COLUMN],
  ["pandas.core.arrays.datetimes", "DatetimeArray", COLUMN],
  ["pandas.core.arrays.timedeltas", "TimedeltaArray", COLUMN],
  ["pandas.core.arrays.period", "PeriodArray", COLUMN],
  ["pandas.core.arrays.interval", "IntervalArray"],
  ["pandas.core.arrays.sparse.array", "SparseArray"],
  ["pandas.core.arrays.string_", "StringArray", COLUMN],
  ["pandas.core.arrays.string_", "StringDtype", MADE],
  ["pandas.core.arrays.string_arrow", "ArrowStringArray"],
  ["pandas.core.arrays.arrow.array", "ArrowExtensionArray"],
  ["pandas.core.arrays.integer", "IntegerArray Int8Dtype Int16Dtype Int32Dtype Int64Dtype"],
  ["pandas.core.arrays.floating", "FloatingArray Float32Dtype Float64Dtype"],
  ["pandas.core.arrays.boolean", "BooleanArray BooleanDtype"],
  ["pandas._libs.arrays", "__pyx_unpickle_NDArrayBacked", REBUILDER],
  ["pandas._libs.interval", "__pyx_unpickle_IntervalMixin", REBUILDER],
  ["pandas._libs.interval", "Interval", MADE],
  ["pandas._libs.sparse", "IntIndex BlockIndex", MADE],
  ["pandas._libs.tslibs.timestamps", "Timestamp _unpickle_timestamp", MAKER],
  ["pandas._libs.tslibs.timedeltas", "Timedelta _timedelta_unpickle", MAKER],
  ["pandas._libs.tslibs.period", "Period", MADE],
  ["pandas._libs.tslibs.nattype", "_nat_unpickle __nat_unpickle", MAKER],
  [
    "pandas._libs.tslibs.offsets",
    `Day Hour Minute Second MonthEnd BusinessDay Week MonthBegin QuarterEnd QuarterBegin YearEnd
    YearBegin BusinessMonthEnd BusinessMonthBegin Milli Micro Nano`,
    MADE,
  ],
  ["pandas.core.dtypes.dtypes", EXTENSION_TYPES, MADE],
  [
    "pandas.arrays",
    "ArrowStringArray ArrowExtensionArray IntegerArray BooleanArray FloatingArray SparseArray",
  ],
  [
    "pandas.arrays",
    "DatetimeArray TimedeltaArray PeriodArray StringArray NumpyExtensionArray",
    COLUMN,
  ],
];

/** NumPy, SciPy, pandas, joblib and the boosting libraries. */
export const SCIENCE_NAMES: readonly AllowedNames[] = [
  ...NUMPY_NAMES,
  ...SPARSE_NAMES,
  ...PANDAS_NAMES,
  ["scipy.special._ufuncs", "expit logit log1p expm1 xlogy xlog1py", FUNCTION],
  ["scipy.spatial._kdtree", "KDTree", NODES],
  ["scipy.spatial._ckdtree", "cKDTree", NODES],
  ["scipy.spatial.ckdtree", "cKDTree", NODES],
  ["scipy.interpolate._interpolate", "interp1d PPoly"],
  [
    "scipy.interpolate._interpolate",
    `interp1d._call_linear interp1d._call_linear_np interp1d._call_nearest
    interp1d._call_previousnext interp1d._call_spline interp1d._call_nan_spline`,
    FUNCTION,
  ],
  ["scipy._lib.array_api_compat.numpy._aliases", "asarray", FUNCTION],
  ["scipy.interpolate._bsplines", "BSpline"],
  ["joblib.numpy_pickle", "NumpyArrayWrapper NDArrayWrapper ZNDArrayWrapper"],
  ["joblib.numpy_pickle_compat", "NDArrayWrapper ZNDArrayWrapper"],
  ["sklearn.externals.joblib.numpy_pickle", "NumpyArrayWrapper NDArrayWrapper"],
  ["xgboost.core", "Booster", BARE],
  [
    "xgboost.sklearn",
    "XGBModel XGBClassifier XGBRegressor XGBRanker XGBRFClassifier XGBRFRegressor",
  ],
  ["lightgbm.basic", "Booster", { harmful: true, inertKeys: ["handle", "_handle"] }],
  ["lightgbm.sklearn", "LGBMModel LGBMClassifier LGBMRegressor LGBMRanker"],
  ["catboost.core", "CatBoost CatBoostClassifier CatBoostRegressor"],
  ["ml_dtypes", "bfloat16 float8_e4m3fn float8_e5m2 int4 uint4"],
  ["scipy.interpolate._cubic", "CubicSpline PchipInterpolator"],
  ["scipy.optimize._optimize", "OptimizeResult", DICT],
  ["scipy.interpolate._rbfinterp", "RBFInterpolator"],
  ["scipy.interpolate._rgi", "RegularGridInterpolator"],
  ["scipy.spatial.transform._rotation", "Rotation"],
  ["scipy.interpolate._fitpack2", "LSQUnivariateSpline"],
  ["numpy.polynomial.chebyshev", "Chebyshev"],
  ["pyarrow.lib", "_restore_array type_for_alias", MAKER],
  ["pyarrow.lib", "py_buffer", { as: "function", call: ["bytes"] }],
  ["numpy.polynomial.legendre", "Legendre"],
  ["numpy.polynomial.hermite", "Hermite"],
  ["numpy.polynomial.hermite_e", "HermiteE"],
  ["numpy.polynomial.laguerre", "Laguerre"],
];
