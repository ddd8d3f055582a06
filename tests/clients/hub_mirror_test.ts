import * as assert from "node:assert/strict";
import { HfClient, HUB_VERSIONS } from "../support/hub_clients.ts";
import { type Mirroring, mirroring } from "../support/mirroring.ts";
import { modelFile } from "../support/models.ts";
import { noise } from "../support/random.ts";
import type { TestServerOptions } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const MIB = 1024 * 1024;
const WEIGHTS = noise(3 * MIB, 1);
const DANGEROUS = new Uint8Array(3 * MIB);
DANGEROUS.set(await modelFile("pickle/hostile/eval.pkl"));

/** A test for each version of the client, today's and that of a year ago (C 28), or a skipped one where none is installed. */
function mirrorTest(
  name: string,
  options: TestServerOptions,
  fn: (
    mirror: Mirroring,
    /** Downloads into a directory. */
    hf: (args: string[], out: string) => ReturnType<HfClient["hf"]>,
    directory: string,
  ) => Promise<void>,
): void {
  for (const version of HUB_VERSIONS) {
    Deno.test(`${name} (huggingface_hub ${version.version})`, async () => {
      await using directory = await TempDir.make();
      await using parts = await mirroring(options);
      const { hub } = parts;
      await fn(parts, async (args, out) => {
        // Each time with an empty cache.
        const home = await Deno.makeTempDir({ dir: directory.path });
        const client = new HfClient(version, { endpoint: hub.url, token: hub.token, home });
        return await client.hf("download", ...args, "--local-dir", out);
      }, directory.path);
    });
  }
  if (HUB_VERSIONS.length > 0) return;
  Deno.test({ name: `${name} (huggingface_hub is not installed)`, ignore: true, fn() {} });
}

for (const gate of ["off", "block"] as const) {
  mirrorTest(
    `C 28 hf download by a cold, a warm and a cut-off mirror with the gate ${gate}`,
    // The weights are of no format.
    { settings: { gate, mirrorFresh: gate === "off" ? 0 : 300_000 } },
    async ({ double }, hf, directory) => {
      double.add("org/model", {
        "config.json": "{}",
        "README.md": "# A model\n",
        "sub/weights.bin": { content: WEIGHTS },
      });
      let downloads = 0;
      const download = async () => {
        const out = `${directory}/${++downloads}`;
        const { code, stdout, stderr } = await hf(["org/model"], out);
        assert.equal(code, 0, stdout + stderr);
        assert.deepEqual(new Uint8Array(await Deno.readFile(`${out}/sub/weights.bin`)), WEIGHTS);
      };
      await download();
      assert.ok(double.taken().length > 0);
      await download();
      const again = double.taken().filter(({ path }) => !path.includes("/revision/"));
      assert.deepEqual(again, []);
      double.fault = () => ({ status: 503 });
      await download();
    },
  );
}

mirrorTest(
  "C 28 hf shows why a file of another hub is refused, and never has it whole",
  { settings: { gate: "block" } },
  async ({ double }, hf, directory) => {
    double.add("org/model", { "bad.pkl": { content: DANGEROUS } });
    const download = () => hf(["org/model", "bad.pkl"], `${directory}/out`);
    const { code } = await download();
    assert.notEqual(code, 0);
    // Not every version asks again after a transfer that was broken off.
    const { stdout, stderr } = await download();
    assert.match(stdout + stderr, /dangerous/);
  },
);
