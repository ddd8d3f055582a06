import * as assert from "node:assert/strict";
import { bytes, s8, sg } from "./pickle_bytes.ts";
import { NEWOBJ, P4, T1, TRUE } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

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
  "a method of a future parameter": bytes(
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

Deno.test("C 16 an argument that an ordinary function calls counts as called", async (t) => {
  for (const [title, content] of Object.entries(CALLING)) {
    await t.step(title, () => {
      const { verdict, failed } = scan(content);
      assert.equal(verdict, "W", JSON.stringify(failed));
    });
  }
});

Deno.test("C 16 tensor subclasses and models made without their constructor are ordinary", () => {
  const tensor = bytes(sg("torch._utils", "_rebuild_tensor_v2"));
  const parameter = bytes("(", sg("torch._utils", "_rebuild_parameter"));
  for (
    const content of [
      rebuild(tensor, bytes("(NK\x00)t")),
      bytes(parameter, sg("torch._utils", "_rebuild_tensor_v2"), ")R", TRUE, "}oN0"),
      bytes(
        sg("models.yolo", "Model"),
        NEWOBJ,
        "}",
        s8("act"),
        sg("torch.nn.modules.activation", "SiLU"),
        "sb",
      ),
      bytes(sg("torch.optim.lr_scheduler", "LambdaLR"), NEWOBJ, "}b"),
    ]
  ) {
    assert.equal(scan(bytes(P4, content, ".")).verdict, "OK");
  }
});

const state = (...items: readonly Uint8Array[]) =>
  bytes(
    P4,
    sg("sklearn.preprocessing._function_transformer", "FunctionTransformer"),
    NEWOBJ,
    "}(",
    ...items,
    "ub.",
  );
const COUNT = bytes(sg("itertools", "count"), "K\x00", T1, "R");
const RANGE = bytes(sg("builtins", "range"), "J\xff\xff\xff\x7f", T1, "R");
const called = (module: string, name: string, ...args: readonly (string | Uint8Array)[]) =>
  bytes(P4, sg(module, name), "(", ...args, "tR.");

Deno.test("evasion 80: an unknown function that is stored in an object is a warning", async (t) => {
  const hooks = bytes(sg("collections", "OrderedDict"), ")R(K\x00", WAVE, "u");
  const table: Readonly<Record<string, Uint8Array>> = {
    "as an attribute": state(s8("func"), WAVE),
    "in a list of attributes": state(s8("steps"), bytes("](", WAVE, "e")),
    "among hooks": bytes(
      P4,
      sg("torch.nn.modules.module", "Module"),
      NEWOBJ,
      "}(",
      s8("_forward_hooks"),
      hooks,
      "ub.",
    ),
    "in a state of slots": bytes(
      P4,
      sg("builtins", "object"),
      NEWOBJ,
      "N}",
      s8("f"),
      WAVE,
      "s",
      "\x86",
      "b.",
    ),
  };
  for (const [title, content] of Object.entries(table)) {
    await t.step(title, () => {
      const { verdict, failed } = scan(content);
      assert.equal(verdict, "W", JSON.stringify(failed));
      assert.match(failed[0]?.message ?? "", /^Imports and stores wave\.open$/);
    });
  }
  await t.step("but not in a plain container", () => {
    assert.equal(scan(bytes(P4, "](", WAVE, "e.")).verdict, "OK");
  });
  await t.step("nor a function of numbers", () => {
    assert.equal(scan(state(s8("func"), sg("numpy", "log1p"))).verdict, "OK");
  });
});

Deno.test("evasion 81: ordinary functions that exhaust memory or time are a warning", async (t) => {
  const huge = "J\xff\xff\xff\x7f";
  const table: readonly (readonly [string, Uint8Array, "W" | "OK"])[] = [
    ["bytearray", called("builtins", "bytearray", huge), "W"],
    ["bytes", called("builtins", "bytes", huge), "W"],
    ["pow", called("builtins", "pow", "K\x07", huge), "W"],
    ["a range in a list", called("builtins", "list", RANGE), "W"],
    [
      "a range of three numbers",
      called("builtins", "sum", bytes(sg("builtins", "range"), "(K\x00", huge, "K\x02tR")),
      "W",
    ],
    [
      "a range in a zip in a set",
      called("builtins", "set", bytes(sg("builtins", "zip"), RANGE, T1, "R")),
      "W",
    ],
    ["count", called("builtins", "list", COUNT), "W"],
    ["cycle", called("collections", "deque", bytes(sg("itertools", "cycle"), "]", T1, "R")), "W"],
    ["repeat", called("builtins", "tuple", bytes(sg("itertools", "repeat"), "N", T1, "R")), "W"],
    [
      "products",
      called("builtins", "list", bytes(sg("itertools", "product"), "(", RANGE, RANGE, "tR")),
      "W",
    ],
    [
      "an array",
      bytes(
        P4,
        sg("numpy._core.multiarray", "_reconstruct"),
        "(",
        sg("numpy", "ndarray"),
        huge,
        T1,
        "C\x01btR.",
      ),
      "W",
    ],
    ["a small bytearray", called("builtins", "bytearray", "K\x07"), "OK"],
    ["a small power, which no file computes", called("builtins", "pow", "K\x07", "K\x07"), "W"],
    ["a range by itself", bytes(P4, RANGE, "."), "OK"],
    ["an endless iterator by itself", bytes(P4, COUNT, "."), "OK"],
    [
      "a limited repetition",
      bytes(P4, sg("itertools", "repeat"), "(NK\x07tR."),
      "OK",
    ],
    [
      "a slice of an endless iterator",
      bytes(P4, sg("itertools", "islice"), "(", COUNT, "K\x07tR."),
      "OK",
    ],
    [
      "an empty array",
      bytes(
        P4,
        sg("numpy._core.multiarray", "_reconstruct"),
        "(",
        sg("numpy", "ndarray"),
        "K\x00",
        T1,
        "C\x01btR.",
      ),
      "OK",
    ],
  ];
  for (const [title, content, expected] of table) {
    await t.step(title, () => {
      const { verdict, failed } = scan(content);
      assert.equal(verdict, expected, JSON.stringify(failed));
    });
  }
});

Deno.test("evasion 82: a logger that the pickle changes is critical", async (t) => {
  const logger = bytes(sg("logging", "getLogger"), ")R");
  await t.step("its attributes", () => {
    const { verdict, failed } = scan(bytes(P4, logger, "}", s8("disabled"), TRUE, "sb."));
    assert.equal(verdict, "C", JSON.stringify(failed));
    assert.equal(failed[0]?.ruleCode, "S207");
  });
  await t.step("but not one that it only stores", () => {
    assert.equal(scan(bytes(P4, logger, ".")).verdict, "OK");
  });
});

Deno.test("C 16 what partial and itemgetter are given is judged by itself", async (t) => {
  const partial = (...items: readonly (string | Uint8Array)[]) =>
    bytes(P4, sg("functools", "partial"), "(", ...items, "tR");
  const getter = bytes(sg("operator", "itemgetter"), "K\x01", T1, "R");
  const table: readonly (readonly [string, Uint8Array, "C" | "W" | "OK"])[] = [
    ["partial of a harmless function", bytes(partial(sg("builtins", "int")), "."), "OK"],
    ["partial of an unknown function", bytes(partial(WAVE), "."), "W"],
    ["partial of a dangerous function", bytes(partial(sg("os", "system")), "."), "C"],
    [
      "partial that gets another function",
      bytes(
        partial(sg("builtins", "int")),
        bytes("(", WAVE, ")}Ntb."),
      ),
      "W",
    ],
    ["a call of a partial", bytes(partial(sg("builtins", "int")), ")R."), "W"],
    ["itemgetter", bytes(P4, getter, "."), "OK"],
    ["a call of an itemgetter", bytes(P4, getter, "]", T1, "R."), "W"],
  ];
  for (const [title, content, expected] of table) {
    await t.step(title, () => {
      const { verdict, failed } = scan(content);
      assert.equal(verdict, expected, JSON.stringify(failed));
    });
  }
});
