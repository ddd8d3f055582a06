import * as assert from "node:assert/strict";
import { bytes, s8, sg } from "./pickle_bytes.ts";
import { NEWOBJ, P4 } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: persistent ids of storages are ordinary, others a remark", () => {
  assert.deepEqual(scan(bytes("Pstorage1\n.")).failed.map(({ ruleCode }) => ruleCode), ["S212"]);
});

Deno.test("C 16 a module of an old file of PyTorch is its class, whichever that is", () => {
  const model = (module: string, name: string) =>
    bytes(P4, "(", s8("module"), sg(module, name), "NNtQ", NEWOBJ, "}b.");
  assert.deepEqual(scan(model("torch.nn.modules.linear", "Linear")).failed, []);
  const [failure] = scan(model("wave", "Wave_read")).failed;
  assert.match(failure?.message ?? "", /^Imports and calls wave\.Wave_read/);
});
