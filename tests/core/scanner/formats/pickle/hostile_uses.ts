import { bytes } from "./pickle_bytes.ts";
import { call, name, type Term } from "./assembler.ts";

/** Uses of allowed names that no real file makes, by the evasion that they belong to. */
export interface HostileUse {
  readonly title: string;
  readonly term: Term;
  readonly verdict: "C" | "W";
  /** Whether one object occurs twice, so that only a pickle with a memo can have it. */
  readonly shares?: true;
  /** The first protocol that can have it. @default {0} */
  readonly since?: number;
}

const MODEL = name("models.yolo", "Model");
const PARTIAL = name("functools", "partial");
const LIST = name("builtins", "list");
const ITER = name("builtins", "iter");
const BUNCH = name("sklearn.utils", "Bunch");
const DICT = name("builtins", "dict");
const RECONSTRUCTOR = name("copyreg", "_reconstructor");
const DTYPE = name("numpy", "dtype");
/** An unlisted function of a module that does nothing when it is imported. */
const UNLISTED = name("scipy.signal", "convolve");
const ADD = name("numpy", "add");

const dictOf = (...pairs: readonly (readonly [Term, Term])[]): Term => ({ dict: pairs });
const bunch = (key: string, value: Term): Term =>
  call(RECONSTRUCTOR, BUNCH, DICT, dictOf([key, value]));

const INTERFACE = dictOf(
  ["data", { tuple: [4096, false] }],
  ["shape", { tuple: [1] }],
  ["typestr", "<u8"],
  ["version", 3],
);
const POINTER: Term = {
  of: call(name("types", "SimpleNamespace")),
  state: dictOf(["__array_interface__", INTERFACE]),
};
const ARRAY = call(name("numpy", "asarray"), POINTER);

const dtype = (code: string, ...state: readonly Term[]): Term => ({
  of: call(DTYPE, code, false, true),
  state: { tuple: [3, "|", ...state] },
});
/** Objects whose flags deny it, so that bytes of the file become their addresses. */
const LYING = dtype("O8", null, null, null, -1, -1, 0);
const OBJECT = dtype("O8", null, null, null, -1, -1, 63);
const FLOAT = dtype("f8", null, null, null, -1, -1, 0);
const FROM_BUFFER = name("numpy._core.numeric", "_frombuffer");

const statsmodels = (made: string, key: string): Term => ({
  of: { make: name("statsmodels.base.data", made) },
  state: dictOf(["formula", "y ~ __import__('os').getpid()"], [key, true], [
    "frame",
    dictOf(["y", 1]),
  ]),
});

export const HOSTILE_USES: readonly HostileUse[] = [
  {
    title: "evasion 86: an import that runs a program",
    term: name("mypackage.__main__", "x"),
    verdict: "W",
  },
  {
    title: "evasion 86: an import of an unknown module",
    term: { list: [name("acme", "x")] },
    verdict: "W",
  },

  {
    title: "evasion 87: the address of an object",
    term: call(name("builtins", "id"), 1),
    verdict: "C",
  },
  { title: "evasion 87: an object that says where an array is", term: POINTER, verdict: "C" },
  {
    title: "evasion 87: a tree whose nodes are anywhere in memory",
    term: {
      of: { make: name("scipy.spatial._ckdtree", "cKDTree") },
      state: { tuple: [FLOAT, FLOAT, 1, 1, 16, FLOAT, FLOAT, FLOAT, null, null] },
    },
    verdict: "W",
  },
  { title: "evasion 87: an array over any memory", term: ARRAY, verdict: "C" },
  {
    title: "evasion 87: a ufunc that writes into it",
    term: { each: [ARRAY, call(ADD, ARRAY, 32, ARRAY), call(name("builtins", "divmod"), "1+1")] },
    verdict: "C",
    shares: true,
  },
  { title: "evasion 87: a ufunc that is called", term: call(ADD, 1, 2, 3), verdict: "W" },
  {
    title: "evasion 87: a function of numbers that gets a text",
    term: call(name("builtins", "divmod"), "1+1"),
    verdict: "W",
  },
  {
    title: "evasion 87: an item that becomes an attribute",
    term: bunch("__array_interface__", INTERFACE),
    verdict: "C",
  },
  {
    title: "evasion 87: an item that is set",
    term: { of: { make: BUNCH }, set: [["__array_struct__", INTERFACE]] },
    verdict: "C",
  },
  {
    title: "evasion 87: a pair that becomes an attribute",
    term: {
      of: call(name("types", "SimpleNamespace")),
      state: call(DICT, { list: [{ tuple: ["__array_interface__", INTERFACE] }] }),
    },
    verdict: "C",
  },
  {
    title: "evasion 87: an attribute whose name is equal to a text",
    term: call(
      RECONSTRUCTOR,
      BUNCH,
      DICT,
      dictOf([
        { make: name("torch.torch_version", "TorchVersion"), args: ["__array_interface__"] },
        INTERFACE,
      ]),
    ),
    verdict: "C",
  },
  {
    title: "evasion 87: attributes that an iterator pairs",
    term: call(
      RECONSTRUCTOR,
      BUNCH,
      DICT,
      call(name("builtins", "zip"), { list: ["__array_interface__"] }, { list: [INTERFACE] }),
    ),
    verdict: "W",
  },
  {
    title: "evasion 87: the class of an object",
    term: {
      of: { make: name("collections", "UserDict") },
      state: { tuple: [null, dictOf(["__class__", name("collections", "UserList")])] },
    },
    verdict: "C",
  },
  {
    title: "evasion 87: what sets the next state of an object",
    term: {
      of: { make: name("sklearn.svm._classes", "SVC") },
      state: dictOf(["__setstate__", name("numpy", "log1p")]),
    },
    verdict: "C",
  },
  {
    title: "evasion 87: a special method",
    term: {
      of: { make: name("sklearn.svm._classes", "SVC") },
      state: dictOf(["__reduce__", name("numpy", "log1p")]),
    },
    verdict: "W",
  },
  {
    title: "evasion 87: an attribute under a computed name",
    term: {
      of: call(name("types", "SimpleNamespace")),
      state: dictOf([call(name("builtins", "str"), "__array_interface__"), 1]),
    },
    verdict: "W",
  },

  {
    title: "evasion 88: a formula of PandasData",
    term: statsmodels("PandasData", "restore_design_info"),
    verdict: "C",
  },
  {
    title: "evasion 88: a formula of ModelData",
    term: statsmodels("ModelData", "restore_model_spec"),
    verdict: "C",
  },

  {
    title: "evasion 89: a constructor that numpy.random calls",
    term: call(name("numpy.random._pickle", "__generator_ctor"), "MT19937", MODEL),
    verdict: "W",
  },
  {
    title: "evasion 89: a constructor as generator of bits",
    term: call(name("numpy.random._pickle", "__bit_generator_ctor"), MODEL),
    verdict: "W",
  },
  {
    title: "evasion 89: a constructor that an iterator calls",
    term: call(LIST, call(ITER, call(PARTIAL, MODEL, dictOf(["nc", 1])), 0)),
    verdict: "W",
  },
  { title: "evasion 89: a constructor in a partial", term: call(PARTIAL, MODEL), verdict: "W" },
  {
    title: "evasion 89: a constructor as base",
    term: call(RECONSTRUCTOR, name("builtins", "object"), MODEL, dictOf(["nc", 1])),
    verdict: "W",
  },
  {
    title: "evasion 89: a constructor that makes missing items",
    term: call(name("collections", "defaultdict"), MODEL),
    verdict: "W",
  },
  {
    title: "evasion 89: a constructor in an attribute",
    term: {
      of: { make: name("torch.nn.modules.linear", "Linear") },
      state: dictOf(["forward", MODEL]),
    },
    verdict: "W",
  },
  {
    title: "evasion 89: the constructor of an estimator",
    term: call(name("sklearn.ensemble._bagging", "BaggingClassifier"), name("numpy", "log1p")),
    verdict: "W",
  },

  {
    title: "evasion 90: a function as the add of a set",
    term: { of: bunch("add", UNLISTED), add: [1] },
    verdict: "W",
    since: 4,
  },
  {
    title: "evasion 90: a function as the append of a list",
    term: { of: bunch("append", UNLISTED), append: [1] },
    verdict: "W",
  },
  {
    title: "evasion 90: a function as a method that numpy calls",
    term: call(name("numpy", "transpose"), bunch("transpose", UNLISTED), 1),
    verdict: "W",
  },
  {
    title: "evasion 90: a function deep in an argument",
    term: call(name("collections", "OrderedDict"), {
      list: [{ list: ["x", nested(UNLISTED, 12)] }],
    }),
    verdict: "W",
  },
  {
    title: "evasion 90: a function deep in a state",
    term: {
      of: { make: name("sklearn.svm._classes", "SVC") },
      state: dictOf(["x", nested(UNLISTED, 12)]),
    },
    verdict: "W",
  },
  {
    title: "evasion 90: a function behind a thousand attributes",
    term: {
      of: { make: name("sklearn.svm._classes", "SVC") },
      state: dictOf(...numbered(600), ["x", UNLISTED], ["__reduce__", 1]),
    },
    verdict: "W",
  },
  {
    title: "evasion 90: a function put into an argument that holds a list already",
    term: lateItem(),
    verdict: "W",
    shares: true,
  },
  {
    title: "evasion 90: an object with functions as a state",
    term: {
      of: { make: name("sklearn.svm._classes", "SVC") },
      state: {
        of: call(name("types", "SimpleNamespace")),
        state: dictOf(["pop", call(PARTIAL, name("numpy", "mean"))]),
      },
    },
    verdict: "W",
  },
  {
    title: "evasion 90: a state that is set twice",
    term: {
      of: { of: { make: name("sklearn.svm._classes", "SVC") }, state: dictOf(["C", 1]) },
      state: dictOf(["C", 2]),
    },
    verdict: "W",
  },

  { title: "evasion 91: a type whose flags lie", term: LYING, verdict: "C" },
  {
    title: "evasion 91: an array of addresses, and its text",
    term: call(
      name("builtins", "repr"),
      call(FROM_BUFFER, bytes("\x01".repeat(8)), LYING, { tuple: [1] }, "C"),
    ),
    verdict: "C",
  },
  {
    title: "evasion 91: numbers whose flags say objects",
    term: dtype("f8", null, null, null, -1, -1, 63),
    verdict: "C",
  },
  {
    title: "evasion 91: a type that another function makes",
    term: {
      of: call(name("copyreg", "__newobj__"), DTYPE, "O8", false, true),
      state: { tuple: [3, "|", null, null, null, -1, -1, 0] },
    },
    verdict: "C",
  },
  ...(["builtins.object", "numpy.object_", "numpy.matrix"] as const).map(
    (path): HostileUse => ({
      title: `evasion 91: a type of objects by the class ${path}`,
      term: {
        of: call(DTYPE, name(path.split(".")[0] ?? "", path.split(".")[1] ?? ""), false, true),
        state: { tuple: [3, "|", null, null, null, -1, -1, 0] },
      },
      verdict: "C",
    }),
  ),
  {
    title: "evasion 91: a type of several fields, one of which is an object",
    term: dtype("f4,O", null, null, null, 12, 4, 0),
    verdict: "C",
  },
  {
    title: "evasion 91: such a type as a field",
    term: dtype(
      "V16",
      null,
      { tuple: ["a", "b"] },
      dictOf(["a", { tuple: [call(DTYPE, "f8,O", false, true), 0] }], ["b", {
        tuple: [FLOAT, 8],
      }]),
      16,
      1,
      0,
    ),
    verdict: "C",
  },
  ...[55, 47, 62].map((flags): HostileUse => ({
    title: `evasion 91: objects that are not cleared or counted, ${flags}`,
    term: dtype("O8", null, null, null, -1, -1, flags),
    verdict: "C",
  })),
  ...[["f8", 1], ["d", -1]].map(([code = "", size = 0]): HostileUse => ({
    title: `evasion 91: a number beyond the element that says it is smaller, ${code}`,
    term: dtype(
      "V8",
      null,
      { tuple: ["a"] },
      dictOf(["a", { tuple: [dtype(`${code}`, null, null, null, size, -1, 0), 7] }]),
      8,
      1,
      0,
    ),
    verdict: "C",
  })),
  ...[["b"], ["a", "a"], []].map((names): HostileUse => ({
    title: `evasion 91: a type whose field a is named ${names.join(" and ") || "nowhere"}`,
    term: dtype("V8", null, { tuple: names }, dictOf(["a", { tuple: [FLOAT, 0] }]), 8, 1, 0),
    verdict: "C",
  })),
  {
    title: "evasion 91: a tree with more outputs than its array of classes has",
    term: call(
      name("sklearn.tree._tree", "Tree"),
      2,
      call(FROM_BUFFER, bytes("\x02" + "\0".repeat(7)), dtype("i8", null, null, null, -1, -1, 0), {
        tuple: [1],
      }, "C"),
      2147483647,
    ),
    verdict: "W",
  },
  {
    title: "evasion 91: a number with fields",
    term: dtype("f8", null, { tuple: ["a"] }, dictOf(["a", { tuple: [FLOAT, 90] }]), 100, 1, 0),
    verdict: "C",
  },
  {
    title: "evasion 91: a record of a negative size",
    term: dtype("V8", null, null, null, -1, 1, 0),
    verdict: "C",
  },
  {
    title: "evasion 91: objects without flags",
    term: dtype("O8", null, null, null, -1, 0),
    verdict: "C",
  },
  {
    title: "evasion 91: numbers whose flags say pointers",
    term: dtype("f8", null, null, null, -1, -1, 4),
    verdict: "C",
  },
  ...["M8", "m8[ns]", "M8[ns]", "datetime64"].map((code): HostileUse => ({
    title: `evasion 91: times without a unit, ${code}`,
    term: dtype(code, null, null, null, -1, -1, 0),
    verdict: "C",
  })),
  {
    title: "evasion 91: numbers over an object",
    term: dtype(
      "V8",
      null,
      { tuple: ["a", "b"] },
      dictOf(["a", { tuple: [OBJECT, 0] }], ["b", { tuple: [FLOAT, 0] }]),
      8,
      1,
      27,
    ),
    verdict: "C",
  },
  {
    title: "evasion 91: a field outside of the element",
    term: dtype("V8", null, { tuple: ["a"] }, dictOf(["a", { tuple: [FLOAT, 800] }]), 8, 1, 0),
    verdict: "C",
  },
  {
    title: "evasion 91: an inner array larger than the element",
    term: dtype("V8", { tuple: [FLOAT, { tuple: [100] }] }, null, null, 8, 1, 0),
    verdict: "C",
  },
  {
    title: "evasion 91: an array over another object's memory",
    term: call(
      FROM_BUFFER,
      call(name("array", "array"), "q", { list: [1] }),
      FLOAT,
      { tuple: [1] },
      "C",
    ),
    verdict: "W",
  },
  ...([
    ["fewer objects than its shape", { list: [] }],
    ["an unknown number of objects", call(LIST, { list: [1] })],
  ] as const).map(([title, objects]): HostileUse => ({
    title: `evasion 91: an array of ${title}`,
    term: {
      of: call(
        name("numpy._core.multiarray", "_reconstruct"),
        name("numpy", "ndarray"),
        { tuple: [0] },
        bytes("b"),
      ),
      state: { tuple: [1, { tuple: [2, 1] }, OBJECT, false, objects] },
    },
    verdict: "C",
  })),
  {
    title: "evasion 91: an array whose state is made by a call",
    term: {
      of: call(
        name("numpy.ma.core", "_mareconstruct"),
        name("numpy.ma.core", "MaskedArray"),
        name("numpy", "ndarray"),
        { tuple: [0] },
        bytes("b"),
      ),
      state: call(name("builtins", "tuple"), { list: [{ tuple: [2] }, OBJECT, 0, { list: [] }] }),
    },
    verdict: "C",
  },
  { title: "evasion 91: repr", term: call(name("builtins", "repr"), 1), verdict: "W" },

  {
    title: "evasion 92: a fraction with a huge exponent",
    term: call(name("fractions", "Fraction"), "1e1000000000"),
    verdict: "W",
  },
  {
    title: "evasion 92: an integer of a huge decimal",
    term: call(name("builtins", "int"), call(name("decimal", "Decimal"), "1e999999999")),
    verdict: "W",
  },
  {
    title: "evasion 92: weeks of a huge decimal",
    term: call(
      name("pandas._libs.tslibs.offsets", "Week"),
      call(name("decimal", "Decimal"), "1e999999999"),
    ),
    verdict: "W",
  },
  {
    title: "evasion 92: all addresses of a network",
    term: call(LIST, call(name("ipaddress", "IPv6Network"), "::/0")),
    verdict: "W",
  },
  {
    title: "evasion 92: categories from all addresses of a network",
    term: call(
      name("pandas.core.dtypes.dtypes", "CategoricalDtype"),
      call(name("ipaddress", "IPv6Network"), "::/0"),
    ),
    verdict: "W",
  },
  {
    title: "evasion 92: a power by a computed number",
    term: call(name("builtins", "pow"), 3, call(name("builtins", "int"), "100000000")),
    verdict: "W",
  },
  {
    title: "evasion 92: an iterator that calls for ever",
    term: call(LIST, call(ITER, call(PARTIAL, name("builtins", "int")), 1)),
    verdict: "W",
  },
  {
    title: "evasion 92: a product of an endless iterator",
    term: call(name("itertools", "product"), call(name("itertools", "count"), 0)),
    verdict: "W",
  },
  {
    title: "evasion 92: an endless iterator as a part of a state",
    term: {
      of: { make: name("statsmodels.discrete.discrete_model", "PoissonResultsWrapper") },
      state: { tuple: [call(name("itertools", "count")), 1] },
    },
    verdict: "W",
  },
  {
    title: "evasion 92: an endless iterator after many parts of a state",
    term: {
      of: { make: name("statsmodels.discrete.discrete_model", "PoissonResultsWrapper") },
      state: { tuple: [...Array.from({ length: 150 }, () => 1), call(name("itertools", "count"))] },
    },
    verdict: "W",
  },
  ...[
    ["pandas.core.arrays.string_arrow", "ArrowStringArray", "_data"],
    ["pandas.core.arrays.arrow.array", "ArrowExtensionArray", "_pa_array"],
  ].map(([module = "", made = "", key = ""]): HostileUse => ({
    title: `evasion 92: an endless iterator as the data of ${made}`,
    term: {
      of: call(RECONSTRUCTOR, name(module, made), name("builtins", "object"), null),
      state: dictOf([key, { list: [call(name("itertools", "count"), 1)] }]),
    },
    verdict: "W",
  })),
  {
    title: "evasion 92: an array whose shape is one number",
    term: call(
      name("numpy._core.multiarray", "_reconstruct"),
      name("numpy", "ndarray"),
      2 ** 33,
      bytes("b"),
    ),
    verdict: "W",
  },
  ...[bytes("canary"), call(name("builtins", "bytes"), { list: [99, 99, 99, 99] })].map((
    shape,
  ): HostileUse => ({
    title: "evasion 92: an array whose shape is bytes",
    term: call(
      name("numpy._core.multiarray", "_reconstruct"),
      name("numpy", "ndarray"),
      shape,
      bytes("b"),
    ),
    verdict: "W",
  })),
  {
    title: "evasion 92: bounds that are repeated",
    term: call(
      name("sklearn.gaussian_process.kernels", "Hyperparameter"),
      null,
      null,
      null,
      2 ** 33,
    ),
    verdict: "W",
  },
  {
    title: "evasion 92: combinations of more items than memory has",
    term: call(name("itertools", "combinations"), "abc", 2 ** 31),
    verdict: "W",
  },

  {
    title: "evasion 97: a tree with fewer parts than compiled code reads",
    term: { of: { make: name("sklearn.neighbors._kd_tree", "KDTree64") }, state: { tuple: [] } },
    verdict: "W",
  },
  {
    title: "evasion 97: such a tree from a function",
    term: {
      of: call(
        name("sklearn.neighbors._ball_tree", "newObj"),
        name("sklearn.neighbors._ball_tree", "BallTree64"),
      ),
      state: { list: [1] },
    },
    verdict: "W",
  },
  {
    title: "evasion 97: a generator of torch without a state",
    term: { of: call(name("torch", "Generator")), state: null },
    verdict: "W",
  },
  {
    title: "evasion 97: a smoother without a model",
    term: call(
      name("statsmodels.tsa.statespace._simulation_smoother", "cSimulationSmoother"),
      null,
    ),
    verdict: "W",
  },
  ...["restore_type_tag", "build_boollist"].map((returning): HostileUse => ({
    title: `evasion 97: a smoother whose model is what ${returning} returns`,
    term: call(
      name("statsmodels.tsa.statespace._simulation_smoother", "cSimulationSmoother"),
      call(name("torch.jit._pickle", returning), null, null),
    ),
    verdict: "W",
  })),
  {
    title: "evasion 97: weights of a network that make more of them",
    term: {
      of: { make: name("torch.nn.modules.rnn", "LSTM") },
      state: dictOf(["_all_weights", call(name("collections", "defaultdict"), ADD)]),
    },
    verdict: "W",
  },
  {
    title: "evasion 97: a version that is an object with functions",
    term: {
      of: { make: name("sklearn.svm._classes", "SVC") },
      state: dictOf(["_sklearn_version", bunch("lower", ADD)]),
    },
    verdict: "W",
  },
  {
    title: "evasion 97: a version that is an array without its parts, which cannot be shown",
    term: {
      of: { make: name("sklearn.svm._classes", "SVC") },
      state: dictOf(["_sklearn_version", { make: name("pandas.arrays", "StringArray") }]),
    },
    verdict: "W",
  },
  {
    title: "evasion 97: an array without its parts as the state of another",
    term: {
      of: { make: name("pandas.arrays", "NumpyExtensionArray") },
      state: { make: name("pandas.core.arrays.datetimes", "DatetimeArray") },
    },
    verdict: "W",
  },
  {
    title: "evasion 97: an array without its parts as the state of categories",
    term: {
      of: { make: name("pandas.core.arrays.categorical", "Categorical") },
      state: { make: name("pandas.core.arrays.string_", "StringArray") },
    },
    verdict: "W",
  },
  {
    title: "evasion 97: an array without its parts as a state of what has none",
    term: {
      of: { make: name("uuid", "UUID") },
      state: dictOf(["is_safe", { make: name("pandas.arrays", "PeriodArray") }]),
    },
    verdict: "W",
  },
  {
    title: "evasion 97: an array without its parts in an array",
    term: call(
      name("numpy._core.multiarray", "_reconstruct"),
      name("numpy", "ndarray"),
      { make: name("pandas.core.arrays.datetimes", "DatetimeArray") },
      0,
    ),
    verdict: "W",
  },
  {
    title: "evasion 97: a time of an array without its parts",
    term: call(
      name("pandas._libs.tslibs.timestamps", "Timestamp"),
      { make: name("pandas.arrays", "DatetimeArray") },
    ),
    verdict: "W",
  },
  {
    title: "evasion 97: a function as a state",
    term: { of: { make: name("sklearn.svm._classes", "SVC") }, state: name("numpy", "max") },
    verdict: "W",
  },
  {
    title: "evasion 97: an object whose method a state calls",
    term: {
      of: { make: name("pandas.core.frame", "DataFrame") },
      state: dictOf(["_flags", bunch("keys", ADD)]),
    },
    verdict: "W",
  },
  {
    title: "evasion 97: a file that is no time zone",
    term: call(name("zoneinfo", "ZoneInfo"), "tzdata.zi"),
    verdict: "W",
  },
];

function nested(term: Term, levels: number): Term {
  return levels === 0 ? term : { list: [nested(term, levels - 1)] };
}

function numbered(count: number): (readonly [Term, Term])[] {
  return Array.from({ length: count }, (_, i) => [`a${i}`, i] as const);
}

/** A list behind others in a list, which gets a function only after the outer list has it. */
export function lateItem(before = 0): Term {
  const inner: Term = { list: [1] };
  const outer: Term = { list: [...Array.from({ length: before }, () => ({ list: [] })), inner] };
  return {
    each: [
      outer,
      { of: inner, append: [name("numpy", "log1p")] },
      call(name("numpy._core.multiarray", "scalar"), FLOAT, outer),
    ],
  };
}
