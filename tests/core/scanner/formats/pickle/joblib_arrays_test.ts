import * as assert from "node:assert/strict";
import { binbytes, bytes, little, type Part, s8, sg } from "./pickle_bytes.ts";
import { FALSE, NEWOBJ, P4, PAYLOAD, T1, T3, TRUE } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

/** `numpy.dtype(code, False, True)`, with a state that sets the size if one is given. */
function dtype(code: string, size?: number): Uint8Array {
  const state = size === undefined
    ? ""
    : bytes("(K\x03", s8("|"), "NNNJ", little(size, 4), "K\x01K\x00tb");
  return bytes(sg("numpy", "dtype"), s8(code), FALSE, TRUE, T3, "R", state);
}

function shape(length: number): Uint8Array {
  return bytes("J", little(length, 4), T1);
}

/** The state of joblib's array placeholder. */
function attributes(length: number, type: Uint8Array, ...more: readonly Part[]): Uint8Array {
  const usual = [s8("subclass"), sg("numpy", "ndarray"), s8("order"), s8("C"), s8("shape")];
  return bytes(
    "}(",
    ...usual,
    shape(length),
    s8("dtype"),
    type,
    s8("allow_mmap"),
    TRUE,
    ...more,
    "ub",
  );
}

const WRAPPER = sg("joblib.numpy_pickle", "NumpyArrayWrapper");

/** Array data with a hidden call: 4 bytes that are not an instruction, the call, and padding. */
const HIDDEN = bytes("\xff\xff\xff\xff0", PAYLOAD, "\0".repeat(4000).slice(PAYLOAD.length + 5));

function arrayOf(...state: readonly Part[]): Uint8Array {
  return bytes(P4, WRAPPER, NEWOBJ, ...state, HIDDEN, "N.");
}

const KEYS = Array.from({ length: 600 }, (_, i) => bytes(s8(`k${i}`), "N"));

const HIDING: Readonly<Record<string, Uint8Array>> = {
  "a type whose state makes its elements smaller": arrayOf(attributes(1, dtype("S4000", 4))),
  "a second shape with an escaped key": arrayOf(
    attributes(1000, dtype("S4"), "Vsh\\u0061pe\n", shape(1)),
  ),
  "a second shape after a thousand items": arrayOf(
    attributes(1000, dtype("S4"), ...KEYS, s8("shape"), shape(1)),
  ),
  "a method that is replaced": arrayOf(
    attributes(1000, dtype("S4"), s8("read"), sg("builtins", "id")),
  ),
  "an alignment that is true": arrayOf(
    attributes(1000, dtype("S4"), s8("numpy_array_alignment_bytes"), TRUE),
  ),
  "an exception for a type": arrayOf(
    attributes(1000, bytes(sg("builtins", "Exception"), s8("S4"), T1, "R}(", s8("x"), TRUE, "ub")),
  ),
  "a placeholder that a call returns": bytes(
    P4,
    bytes(sg("builtins", "max"), "]", WRAPPER, NEWOBJ, "a", T1, "R"),
    attributes(9, dtype("S1")),
    binbytes(HIDDEN),
    "0N.",
  ),
  "a type that is modified through an alias": bytes(
    P4,
    bytes(dtype("S4000"), "\x940", sg("builtins", "max"), "]h\x00a", T1, "R"),
    bytes("(K\x03", s8("|"), "NNNJ", little(4, 4), "K\x01K\x00tb0"),
    bytes(WRAPPER, NEWOBJ, attributes(1, bytes("h\x00"))),
    HIDDEN,
    "N.",
  ),
};

Deno.test("C 16 array data in a joblib file cannot hide instructions", async (t) => {
  for (const [title, content] of Object.entries(HIDING)) {
    await t.step(title, () => {
      const { verdict, failed } = scan(content, { name: "model.joblib" });
      assert.notEqual(verdict, "OK", JSON.stringify(failed));
    });
  }
});

/** A placeholder that is complete but for its shape, data that breaks every walk, and a call. */
function covered(key: Part, shape: Part, payload: Uint8Array): Uint8Array {
  const usual = [s8("subclass"), sg("numpy", "ndarray"), s8("dtype"), dtype("u1")];
  const state = bytes("}(", ...usual, s8("order"), s8("C"), key, shape, "u");
  return bytes(P4, WRAPPER, NEWOBJ, state, "b", "\xff".repeat(9), payload);
}

const SCALAR = bytes(
  sg("numpy._core.multiarray", "scalar"),
  bytes(dtype("i8"), "C\x08", little(9, 8), 0x86, "R"),
);
const SLOTS = bytes(
  P4,
  bytes(WRAPPER, NEWOBJ, "N}(", s8("shape"), shape(9), s8("dtype"), dtype("u1"), "u", 0x86, "b"),
  bytes("\xff".repeat(9), PAYLOAD),
);

/** The shape 9, in ways that joblib never writes. */
const COVERS: Readonly<Record<string, Uint8Array>> = {
  "a scalar of NumPy": covered(s8("shape"), bytes(SCALAR, T1), PAYLOAD),
  "a list": covered(s8("shape"), bytes("]J", little(9, 4), "a"), PAYLOAD),
  "a length": covered(
    s8("shape"),
    bytes(sg("builtins", "len"), "](", "K\x01".repeat(9), "e", T1, "R", T1),
    PAYLOAD,
  ),
  "a key that a call builds": covered(
    bytes(sg("builtins", "str"), s8("shape"), T1, "R"),
    shape(9),
    PAYLOAD,
  ),
  "a state of slots": SLOTS,
  "names in the memo": bytes(
    P4,
    bytes(s8("os"), "q\x050", s8("getpid"), "q\x060"),
    covered(s8("shape"), bytes("]J", little(9, 4), "a"), bytes("h\x05h\x06\x93)R.")).subarray(2),
  ),
  "a type that is not known": bytes(
    P4,
    bytes(WRAPPER, NEWOBJ, "}(", s8("shape"), shape(9), s8("dtype"), sg("ml_dtypes", "int4"), "ub"),
    bytes("\xff".repeat(9), PAYLOAD),
  ),
};

Deno.test("evasion 74: what follows an array of unknown length is searched for imports", async (t) => {
  for (const [title, content] of Object.entries(COVERS)) {
    await t.step(title, () => {
      const { verdict, failed } = scan(content, { name: "model.joblib" });
      assert.equal(verdict, "C", JSON.stringify(failed));
      assert.ok(failed.some(({ message }) => message.endsWith("os.getpid")));
    });
  }
  await t.step("far behind it", () => {
    const far = bytes("\xff".repeat(200_000), PAYLOAD);
    const content = covered(s8("shape"), bytes("]J", little(9, 4), "a"), far);
    assert.equal(scan(content, { name: "model.joblib" }).verdict, "C");
  });
});

Deno.test("C 16 weights after an array of unknown type are not taken for imports", () => {
  const weights = bytes("cos\n\xe9!\n", "cnt\nline of text\n", "\x8c\x02os\x8c\x02\x01\x02\x93");
  const content = bytes(
    P4,
    bytes(WRAPPER, NEWOBJ, "}(", s8("shape"), shape(9), s8("dtype"), sg("ml_dtypes", "int4"), "ub"),
    bytes("\xff".repeat(9), weights, "N."),
  );
  assert.equal(scan(content, { name: "model.joblib" }).verdict, "I");
});

Deno.test("C 16 array data is skipped, whatever its bytes are", () => {
  const padded = bytes(s8("numpy_array_alignment_bytes"), "K\x10");
  for (
    const content of [
      bytes(attributes(1000, dtype("S4", 4)), HIDDEN),
      bytes(attributes(1000, dtype("V4", 4)), HIDDEN),
      bytes(attributes(500, dtype("f8"), padded), "\x02\xff\xff", HIDDEN),
      bytes(attributes(500, dtype("f8"), s8("numpy_array_alignment_bytes"), "N"), HIDDEN),
    ]
  ) {
    const { failed } = scan(bytes(P4, WRAPPER, NEWOBJ, content, "."));
    assert.deepEqual(failed, []);
  }
});

Deno.test("C 16 an array of an older joblib must be in the folder of its file", async (t) => {
  const pickle = (...name: readonly Part[]) =>
    bytes(P4, sg("joblib.numpy_pickle", "NDArrayWrapper"), NEWOBJ, "}(", ...name, "ub.");
  for (const name of ["/tmp/x.npy", "../x.npy", "a/../../x.npy"]) {
    await t.step(name, () => assert.equal(scan(pickle(s8("filename"), s8(name))).verdict, "C"));
  }
  await t.step("a second file name", () => {
    const content = pickle(s8("filename"), s8("m.npy"), "Vf\\u0069lename\n", s8("/tmp/x.npy"));
    assert.equal(scan(content).verdict, "C");
  });
  await t.step("a file in the folder", () => {
    assert.deepEqual(scan(pickle(s8("filename"), s8("m.pkl_01.npy"))).failed, []);
  });
});
