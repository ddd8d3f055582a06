import * as assert from "node:assert/strict";
import { bytes, s8, sg } from "./pickle_bytes.ts";
import { NEWOBJ, P4 } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: storage ids are ordinary, other persistent ids are noted", () => {
  assert.deepEqual(scan(bytes("Pstorage1\n.")).failed.map(({ ruleCode }) => ruleCode), ["S212"]);
});

Deno.test("C 16 a module of a legacy PyTorch file is its class", () => {
  const model = (module: string, name: string) =>
    bytes(P4, "(", s8("module"), sg(module, name), "NNtQ", NEWOBJ, "}b.");
  assert.deepEqual(scan(model("torch.nn.modules.linear", "Linear")).failed, []);
  const [failure] = scan(model("wave", "Wave_read")).failed;
  assert.match(failure?.message ?? "", /^Imports and calls wave\.Wave_read/);
});
