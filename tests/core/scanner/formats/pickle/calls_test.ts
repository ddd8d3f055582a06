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
      bytes(sg("models.yolo", "Model"), NEWOBJ, "}", s8("act"), WAVE, "sb"),
      bytes(sg("torch.optim.lr_scheduler", "LambdaLR"), NEWOBJ, "}b"),
    ]
  ) {
    assert.equal(scan(bytes(P4, content, ".")).verdict, "OK");
  }
});
