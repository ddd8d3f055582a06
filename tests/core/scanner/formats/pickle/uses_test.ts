import * as assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { memorySource, scan as scanWhole } from "../../../../../core/scanner/scan.ts";
import { verdict } from "../../verdict.ts";
import { file, header } from "../numpy/npy_bytes.ts";
import { tarOf } from "../tar/tar_builder.ts";
import { zipOf } from "../zip/zip_builder.ts";
import { assemble, call, type Dialect, fragment, name, type Term } from "./assembler.ts";
import { HOSTILE_USES, type HostileUse, lateItem } from "./hostile_uses.ts";
import { bytes } from "./pickle_bytes.ts";

const scanAs = (content: Uint8Array, name: string) => {
  const { checks } = scanWhole(memorySource(content), { name });
  const failed = checks.filter(({ status }) => status === "failed");
  return { verdict: verdict(failed), failed: failed.map(({ message }) => message) };
};

/** Whether a verdict is as bad as another one, so that the command line ends with 1. */
const isAsBad = (actual: string, least: "C" | "W") => actual === "C" || actual === least;

const PROTOCOLS = [0, 1, 2, 3, 4, 5];

function dialectsOf({ shares, since = 0 }: HostileUse): Dialect[] {
  return PROTOCOLS.filter((protocol) => protocol >= since).flatMap((protocol) =>
    [true, false].filter((memo) => memo || shares === undefined).map((memo) => ({ protocol, memo }))
  );
}

/** Places of a term in a pickle. */
const PLACES: Readonly<Record<string, (term: Term) => Term>> = {
  "popped": (term) => ({ each: [term, null] }),
  "in a list in a dict": (term) => ({ dict: [["x", { list: [1, term] }]] }),
  "in an argument": (term) =>
    call(name("collections", "OrderedDict"), { list: [{ list: ["x", term] }] }),
  "in a state": (term) => ({
    of: { make: name("sklearn.svm._classes", "SVC") },
    state: { dict: [["x", term]] },
  }),
};

/** Files that hold a pickle, as loaders read them. */
const FILES: readonly (readonly [file: string, wrap: (pickle: Uint8Array) => Uint8Array])[] = [
  ["model.zip", (data) => zipOf([{ name: "model.pkl", data }])],
  ["model.tar", (data) => tarOf([{ name: "model.pkl", data }])],
  ["model.npy", (data) => file(header("'|O'", "(1,)"), data)],
  ["model.npz", (data) => zipOf([{ name: "x.npy", data: file(header("'|O'", "(1,)"), data) }])],
  ["model.joblib", (data) => deflateSync(data)],
  [
    "model.pt",
    (data) => zipOf([{ name: "archive/data.pkl", data }, { name: "archive/version", data: "3\n" }]),
  ],
  ["second.pkl", (data) => bytes(0x80, 2, "N.", data)],
];

Deno.test("scanning 2.1: what no real file does with an allowed name is a warning, or critical", async (t) => {
  for (const use of HOSTILE_USES) {
    await t.step(use.title, () => {
      for (const dialect of dialectsOf(use)) {
        const { verdict, failed } = scanAs(assemble(use.term, dialect), "model.pkl");
        assert.equal(verdict, use.verdict, `${JSON.stringify(dialect)} ${failed.join("\n")}`);
      }
    });
  }
});

const dict = (...pairs: readonly (readonly [Term, Term])[]): Term => ({ dict: pairs });
const dtype = (code: string, ...state: readonly Term[]): Term => ({
  of: call(name("numpy", "dtype"), code, false, true),
  state: { tuple: [3, "|", ...state] },
});
const OBJECTS = dtype("O8", null, null, null, -1, -1, 63);
const INTEGERS = dtype("i8", null, null, null, -1, -1, 0);
const formula = (text: string): Term => ({
  of: { make: name("statsmodels.base.data", "PandasData") },
  state: dict(["formula", text], ["restore_design_info", true]),
});
const PARTIAL = name("functools", "partial");
const CLIP = name("numpy", "clip");
const BUNCH = name("sklearn.utils", "Bunch");

/** Uses that real files make. */
const REAL_USES: Readonly<Record<string, Term>> = {
  "a dict of lists": call(name("collections", "defaultdict"), name("builtins", "list")),
  "a dict of dicts of numbers": call(
    name("collections", "defaultdict"),
    call(PARTIAL, name("collections", "defaultdict"), name("builtins", "int")),
  ),
  "functions and classes in a dict": call(name("collections", "OrderedDict"), {
    list: [{ list: ["f", CLIP] }, { list: ["type", name("numpy", "float32")] }],
  }),
  "a function with arguments in an estimator": {
    of: { make: name("sklearn.preprocessing._function_transformer", "FunctionTransformer") },
    state: dict(["func", {
      of: call(PARTIAL, CLIP),
      state: { tuple: [CLIP, { tuple: [] }, dict(["a_min", 0]), null] },
    }], ["dtype", name("numpy", "float64")]),
  },
  "a generator of NumPy 1.17": call(
    name("numpy.random._pickle", "__randomstate_ctor"),
    "MT19937",
    name("numpy.random._pickle", "__bit_generator_ctor"),
  ),
  "a generator of NumPy 2": call(
    name("numpy.random._pickle", "__generator_ctor"),
    call(
      name("numpy.random._pickle", "__bit_generator_ctor"),
      name("numpy.random._pcg64", "PCG64"),
    ),
  ),
  "a dict with attributes": call(
    name("copyreg", "_reconstructor"),
    BUNCH,
    name("builtins", "dict"),
    dict(["model", { make: name("sklearn.svm._classes", "SVC") }]),
  ),
  "a documentation": {
    of: { make: name("sklearn.svm._classes", "SVC") },
    state: dict(["__doc__", "text"]),
  },
  "a word that is an attribute": dict(["__array_interface__", 7], ["__class__", 8]),
  "a type with objects in a field": dtype(
    "V16",
    null,
    { tuple: ["a", "b"] },
    dict(["a", { tuple: [OBJECTS, 0] }], ["b", { tuple: [INTEGERS, 8] }]),
    16,
    8,
    155,
  ),
  "a type with a titled field": dtype(
    "V8",
    null,
    { tuple: ["a"] },
    dict(["a", { tuple: [OBJECTS, 0, "T"] }], ["T", { tuple: [OBJECTS, 0, "T"] }]),
    8,
    1,
    27,
  ),
  "times": dtype("M8", null, null, null, -1, -1, 0, {
    tuple: [null, { tuple: [bytes("ns"), 1, 1, 1] }],
  }),
  "an inner array": dtype("V16", { tuple: [INTEGERS, { tuple: [2] }] }, null, null, 16, 8, 0),
  "a formula of names": formula("y ~ x + C(group) - 1"),
  "a formula of functions": formula("np.log(y + 1) ~ I(x**2) * z:w"),
  "a schedule": call(name("transformers.trainer_utils", "SchedulerType"), "linear"),
  "a file in memory": {
    of: { make: name("_io", "BytesIO") },
    state: { tuple: [bytes("abc"), 3, null] },
  },
  "a metric": {
    of: call(
      name("sklearn.metrics._dist_metrics", "newObj"),
      name("sklearn.metrics._dist_metrics", "EuclideanDistance64"),
    ),
    state: { tuple: [2, { list: [0] }, { list: [0] }] },
  },
  "a time zone": call(
    name("zoneinfo", "ZoneInfo._unpickle"),
    "America/Argentina/Ushuaia",
    1,
  ),
  "a graph": {
    of: { make: name("networkx.classes.digraph", "DiGraph") },
    state: dict(["_adj", dict([1, dict([2, dict()])])], ["edges", {
      of: { make: name("networkx.classes.reportviews", "OutEdgeView") },
      state: dict(["_graph", null]),
    }]),
  },
  "an iterator": { of: call(name("builtins", "iter"), { list: [1, 2] }), state: 1 },
};

Deno.test("scanning 2.1: what real files do with allowed names is clean", async (t) => {
  for (const [title, term] of Object.entries(REAL_USES)) {
    await t.step(title, () => {
      for (const protocol of PROTOCOLS) {
        for (const memo of [true, false]) {
          const { failed } = scanAs(assemble(term, { protocol, memo }), "model.pkl");
          assert.deepEqual(failed, [], `protocol ${protocol}`);
        }
      }
    });
  }
});

Deno.test("evasion 90: thousands of imports hide no use", () => {
  const many: Term = {
    list: Array.from({ length: 6000 }, (_, i) => name("scipy.signal", `f${i}`)),
  };
  const used = call(name("numpy", "log1p"), 1);
  const { verdict } = scanAs(assemble({ each: [many, used] }, { protocol: 4 }), "model.pkl");
  assert.equal(verdict, "W");
});

Deno.test("scanning 2.1: values that are shared by many calls and states take bounded work", async (t) => {
  const P4 = "\x80\x04";
  const nested = bytes("](", "]".repeat(900), "e\x94");
  const estimator = fragment(name("sklearn.svm._classes", "SVC"), { protocol: 4 });
  const functions = bytes("](", ...Array(900).fill(fragment(CLIP, { protocol: 4 })), "e\x94");
  const keys = Array.from({ length: 450 }, (_, i) => bytes("\x8c\x04", `_${100 + i}`, "N"));
  const table: readonly (readonly [string, Uint8Array, "OK" | "W"])[] = [
    [
      "arguments of constants",
      bytes(
        P4,
        nested,
        fragment(name("builtins", "bytes"), { protocol: 4 }),
        "\x94(",
        "h\x01h\x00\x85R".repeat(30_000),
        "t.",
      ),
      "W",
    ],
    [
      "arguments with functions",
      bytes(
        P4,
        functions,
        fragment(name("collections", "deque"), { protocol: 4 }),
        "\x94(",
        "h\x01h\x00\x85R".repeat(30_000),
        "t.",
      ),
      "W",
    ],
    [
      "states",
      bytes(
        P4,
        "}(",
        ...keys,
        "u\x94",
        estimator,
        "\x94(",
        "h\x01)\x81h\x00b".repeat(30_000),
        "t.",
      ),
      "OK",
    ],
  ];
  for (const [title, content, expected] of table) {
    await t.step(title, () => {
      const { verdict, failed } = scanAs(content, "model.pkl");
      assert.equal(verdict, expected, failed.join("\n"));
    });
  }
});

Deno.test("evasion 90: a list that is not kept hides no function", () => {
  for (const protocol of PROTOCOLS) {
    const content = assemble(lateItem(1200), { protocol, memo: true });
    assert.equal(scanAs(content, "model.pkl").verdict, "W");
  }
});

Deno.test("evasion 88: a formula that could be anything is critical", () => {
  for (
    const text of ["y ~ x.__class__", "y ~ f(x)", "y ~ np.load(x)", "y ~ [x]", "(y", "y ~ 'x'"]
  ) {
    assert.equal(scanAs(assemble(formula(text), { protocol: 4 }), "model.pkl").verdict, "C", text);
  }
});

Deno.test("scanning 2.1: so it is in every place of a pickle", async (t) => {
  for (const [place, put] of Object.entries(PLACES)) {
    await t.step(place, () => {
      for (const use of HOSTILE_USES) {
        for (const dialect of dialectsOf(use).filter(({ memo }) => memo)) {
          const { verdict, failed } = scanAs(assemble(put(use.term), dialect), "model.pkl");
          assert.ok(
            isAsBad(verdict, use.verdict),
            `${use.title} ${JSON.stringify(dialect)} ${verdict} ${failed.join("\n")}`,
          );
        }
      }
    });
  }
  await t.step("before an end that is missing, after another pickle", () => {
    for (const { title, term, verdict: least } of HOSTILE_USES) {
      const content = bytes("N.", fragment(term, { protocol: 4, memo: true }));
      const { verdict, failed } = scanAs(content, "model.pkl");
      assert.ok(isAsBad(verdict, least), `${title} ${failed.join("\n")}`);
    }
  });
  await t.step("before an end that is missing", () => {
    for (const { title, term, verdict: least } of HOSTILE_USES) {
      const content = bytes(0x80, 4, fragment(term, { protocol: 4, memo: true }));
      const { verdict, failed } = scanAs(content, "model.pkl");
      assert.ok(isAsBad(verdict, least), `${title} ${failed.join("\n")}`);
    }
  });
});

Deno.test("scanning 2.1: so it is in every file that holds a pickle", async (t) => {
  for (const [name, wrap] of FILES) {
    await t.step(name, () => {
      for (const use of HOSTILE_USES) {
        for (const protocol of [2, 4]) {
          if (protocol < (use.since ?? 0)) continue;
          const { verdict, failed } = scanAs(
            wrap(assemble(use.term, { protocol, memo: true })),
            name,
          );
          assert.ok(
            isAsBad(verdict, use.verdict),
            `${use.title}, protocol ${protocol}: ${verdict} ${failed.join("\n")}`,
          );
        }
      }
    });
  }
});
