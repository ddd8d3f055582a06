import * as assert from "node:assert/strict";
import { LEGACY_TORCH } from "./ordinary_pickles.ts";
import { bytes } from "./pickle_bytes.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("a truncated legacy PyTorch file is inconclusive", () => {
  assert.equal(scan(bytes(LEGACY_TORCH.subarray(0, LEGACY_TORCH.length - 3))).verdict, "I");
});
