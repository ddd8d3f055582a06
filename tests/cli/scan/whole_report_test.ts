import * as assert from "node:assert/strict";
import { type FileOutcome, report } from "../../../core/scanner/mod.ts";
import { scan } from "../../../core/scanner/scan.ts";
import { memorySource } from "../../../core/scanner/contract/source.ts";
import { ROOT, strongroom } from "../../support/child_server.ts";

const FILES = [
  "huggingface/model/LICENSE",
  "keras/sequential.keras",
  "pickle/hostile/eval.pkl",
  "pickle/truncated.pkl",
  "safetensors/perceptron.safetensors",
  "torch/state_dict.pt",
].map((path) => `${ROOT}tests/fixtures/models/${path}`);

/** A report without its times, as JSON. */
function timeless(made: object): unknown {
  return JSON.parse(
    JSON.stringify(made, (key, value) => /time(?:stamp)?$|duration/.test(key) ? undefined : value),
  );
}

Deno.test("SR 2.5 and 2.6 a report has all that scanners find, wherever they run", async (t) => {
  const files = await Promise.all(FILES.map(async (path): Promise<FileOutcome> => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return { path, scan: scan(memorySource(await Deno.readFile(path)), { name }) };
  }));
  const expected = timeless(report({ files, startTime: 0, duration: 0, skip: [] }));
  for (const isolation of ["process", "thread"]) {
    await t.step(`SR 2.5 in a ${isolation}`, async () => {
      const env = { STRONGROOM_SCAN_ISOLATION: isolation };
      const { stdout } = await strongroom(["scan", ...FILES], env);
      assert.deepEqual(timeless(JSON.parse(stdout)), expected);
    });
  }
  await t.step("SR 2.6 sha256_prefix is that of the first MiB", () => {
    const { file_metadata } = Object(expected);
    for (const path of FILES) {
      const { sha256, sha256_prefix } = file_metadata[path].file_hashes;
      assert.equal(sha256_prefix, sha256, path);
    }
  });
});
