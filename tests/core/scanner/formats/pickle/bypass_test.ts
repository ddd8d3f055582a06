import * as assert from "node:assert/strict";
import {
  binbytes,
  bytes,
  little,
  P4,
  type Part,
  PAYLOAD,
  s8,
  scan,
  sg,
  T1,
} from "./pickle_bytes.ts";

const NEWOBJ = bytes(")\x81");
const TRUE = 0x88;
const FALSE = 0x89;
const TUPLE3 = 0x87;

/** `numpy.dtype(code, False, True)`, with the state that gives it a size where there is one. */
function dtype(code: string, size?: number): Uint8Array {
  const state = size === undefined
    ? ""
    : bytes("(K\x03", s8("|"), "NNNJ", little(size, 4), "K\x01K\x00tb");
  return bytes(sg("numpy", "dtype"), s8(code), FALSE, TRUE, TUPLE3, "R", state);
}

function shape(length: number): Uint8Array {
  return bytes("J", little(length, 4), T1);
}

/** The attributes of joblib's stand-in of an array. */
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

/** Four bytes of an array that are no instruction, a call, and what else the array seems to have. */
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
  "a second shape behind a thousand items": arrayOf(
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
  "a stand-in that comes back out of a call": bytes(
    P4,
    bytes(sg("builtins", "max"), "]", WRAPPER, NEWOBJ, "a", T1, "R"),
    attributes(9, dtype("S1")),
    binbytes(HIDDEN),
    "0N.",
  ),
  "a type that is changed under another name": bytes(
    P4,
    bytes(dtype("S4000"), "\x940", sg("builtins", "max"), "]h\x00a", T1, "R"),
    bytes("(K\x03", s8("|"), "NNNJ", little(4, 4), "K\x01K\x00tb0"),
    bytes(WRAPPER, NEWOBJ, attributes(1, bytes("h\x00"))),
    HIDDEN,
    "N.",
  ),
};

Deno.test("C 16 the bytes of an array in a file of joblib hide no instructions", async (t) => {
  for (const [title, content] of Object.entries(HIDING)) {
    await t.step(title, () => {
      const { verdict, failed } = scan(content, { name: "model.joblib" });
      assert.notEqual(verdict, "OK", JSON.stringify(failed));
    });
  }
});

Deno.test("C 16 an array of joblib is passed over, whatever its bytes are", () => {
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

Deno.test("C 16 an array of an older joblib is loaded from its own folder only", async (t) => {
  const pickle = (...name: readonly Part[]) =>
    bytes(P4, sg("joblib.numpy_pickle", "NDArrayWrapper"), NEWOBJ, "}(", ...name, "ub.");
  for (const name of ["/tmp/x.npy", "../x.npy", "a/../../x.npy"]) {
    await t.step(name, () => assert.equal(scan(pickle(s8("filename"), s8(name))).verdict, "C"));
  }
  await t.step("a second name", () => {
    const content = pickle(s8("filename"), s8("m.npy"), "Vf\\u0069lename\n", s8("/tmp/x.npy"));
    assert.equal(scan(content).verdict, "C");
  });
  await t.step("a name in the folder", () => {
    assert.deepEqual(scan(pickle(s8("filename"), s8("m.pkl_01.npy"))).failed, []);
  });
});

const REBUILD = sg("torch._tensor", "_rebuild_from_type_v2");
const TENSOR = sg("torch", "Tensor");
const WAVE = sg("wave", "open");
const ARGS = bytes("(", s8("x.wav"), s8("w"), "t");
const rebuild = (called: Uint8Array, args: Uint8Array) =>
  bytes(REBUILD, "(", called, TENSOR, args, "}tR");

const CALLING: Readonly<Record<string, Uint8Array>> = {
  "a function among the arguments of a function": bytes(
    P4,
    rebuild(REBUILD, bytes("(", WAVE, TENSOR, ARGS, "}t")),
    ".",
  ),
  "a module whose forward is a function": bytes(
    P4,
    rebuild(
      bytes(sg("torch.nn.modules.module", "Module"), NEWOBJ, "}(", s8("forward"), WAVE, "ub"),
      ARGS,
    ),
    ".",
  ),
  "a method of what is to be a parameter": bytes(
    P4,
    sg("torch._utils", "_rebuild_parameter"),
    bytes("(", sg("types", "SimpleNamespace"), ")R}", s8("detach"), WAVE, "sb"),
    TRUE,
    "}tR.",
  ),
  "the constructor of a YOLO model": bytes(P4, sg("models.yolo", "Model"), "}", T1, "R."),
  "the constructor as the base of an object": bytes(
    P4,
    sg("copyreg", "_reconstructor"),
    bytes("(", sg("builtins", "object"), sg("models.yolo", "Model"), "}tR."),
  ),
  "a scheduler with functions in a list": bytes(
    P4,
    sg("torch.optim.lr_scheduler", "LambdaLR"),
    bytes("(N]", WAVE, "atR."),
  ),
};

Deno.test("C 16 what an ordinary function calls in turn is called", async (t) => {
  for (const [title, content] of Object.entries(CALLING)) {
    await t.step(title, () => {
      const { verdict, failed } = scan(content);
      assert.equal(verdict, "W", JSON.stringify(failed));
    });
  }
});

Deno.test("C 16 tensors of a class of their own and models without a constructor are ordinary", () => {
  const tensor = bytes(sg("torch._utils", "_rebuild_tensor_v2"));
  const parameter = bytes("(", sg("torch._utils", "_rebuild_parameter"));
  for (
    const content of [
      rebuild(tensor, bytes("(NK\x00)t")),
      bytes(parameter, sg("torch._utils", "_rebuild_tensor_v2"), ")R", TRUE, "}oN0"),
      bytes(sg("models.yolo", "Model"), NEWOBJ, "}", s8("act"), WAVE, "sb"),
      bytes(sg("torch.optim.lr_scheduler", "LambdaLR"), NEWOBJ, "}b"),
    ]
  ) {
    assert.equal(scan(bytes(P4, content, ".")).verdict, "OK");
  }
});

Deno.test("C 16 a module of an old file of PyTorch is its class, whichever that is", () => {
  const model = (module: string, name: string) =>
    bytes(P4, "(", s8("module"), sg(module, name), "NNtQ", NEWOBJ, "}b.");
  assert.deepEqual(scan(model("torch.nn.modules.linear", "Linear")).failed, []);
  const [failure] = scan(model("wave", "Wave_read")).failed;
  assert.match(failure?.message ?? "", /^Imports and calls wave\.Wave_read/);
});
