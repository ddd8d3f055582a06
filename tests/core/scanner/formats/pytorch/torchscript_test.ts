import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { torchScriptScanner } from "../../../../../core/scanner/formats/pytorch/torchscript.ts";
import { verdict } from "../../verdict.ts";
import { assertNeverThrows, scan } from "../format_scan.ts";

const HEAD = `class Net(Module):
  __parameters__ = ["weight", ]
  weight : Tensor
  training : bool
  def forward(self: __torch__.Net,
    x: Tensor) -> Tensor:
`;

const code = (...lines: readonly string[]) =>
  new TextEncoder().encode(HEAD + lines.map((line) => `    ${line}\n`).join(""));

const verdictOf = (...lines: readonly string[]) =>
  verdict(scan(torchScriptScanner, code(...lines)).checks);

const HOSTILE: Readonly<Record<string, readonly string[]>> = {
  "saves a tensor": ['torch.save(x, "/tmp/x")'],
  "maps a file": ['y = torch.from_file("/etc/passwd", False, 100)'],
  "names a function without calling it": ["save = torch.save"],
  "writes the name with spaces": ['torch . save(x, "/tmp/x")'],
  "uses the namespace of ATen": ['ops.aten.save(x, "/tmp/x")'],
  "reads by an operator": ['y = ops.image.read_file("/etc/passwd")'],
  "writes by an operator": ['ops.image.write_file("/tmp/x", x)'],
  "loads by an operator": ['y = ops.torchaudio.sox_io_load_audio_file("x", None, None)'],
  "lists an operator for mobile loaders": ["aten::save", "image::read_file"],
};

Deno.test("evasion 75: TorchScript that accesses files is critical", async (t) => {
  for (const [title, lines] of Object.entries(HOSTILE)) {
    await t.step(title, () => assert.equal(verdictOf(...lines), "C"));
  }
  await t.step("after a megabyte of other code", () => {
    const filling = Array.from({ length: 60_000 }, () => "x = torch.add(x, x)");
    assert.equal(verdictOf(...filling, 'torch.save(x, "/tmp/x")'), "C");
  });
});

Deno.test("evasion 75: an alias of a namespace of operators is a warning", async (t) => {
  for (const line of ["t = torch", "i = ops.image", "o = ops"]) {
    await t.step(line, () => assert.equal(verdictOf(line, 'i.read_file("x")'), "W"));
  }
});

Deno.test("C 16 TorchScript as PyTorch writes it is clean", () => {
  const lines = [
    "linear = self.linear",
    "_0 = torch.relu(torch.linear(x, self.weight, None))",
    "_1 = ops.quantized.linear(_0, self._packed_params, 1., 0)",
    "_2 = ops.prim.NumToTensor(torch.size(x, 0))",
    "_3 = __torch__.torch.nn.modules.linear.Linear",
    "_4 = ops.torchvision.nms(x, x, 0.5)",
    "_5 = self.save_state(x)",
    'raise Exception("torch is required = ops")',
  ];
  assert.equal(verdictOf(...lines), "OK");
});

Deno.test("only code in archives is read as TorchScript", () => {
  const matches = (name: string, depth: number) =>
    torchScriptScanner.matches({ name, depth, source: memorySource(new Uint8Array()) });
  assert.ok(matches("model/code/__torch__/net.py", 1));
  assert.ok(matches("model/bytecode.pkl", 1));
  for (const name of ["net.py", "model/data.pkl", "model/code/x.py.debug_pkl"]) {
    assert.ok(!matches(name, 1), name);
  }
  assert.ok(!matches("model/code/__torch__.py", 0));
});

Deno.test("C 16 no mutation of TorchScript makes the scanner throw", () => {
  assertNeverThrows(torchScriptScanner, [code('torch.save(x, "/tmp/x")')], { mutations: 300 });
});
