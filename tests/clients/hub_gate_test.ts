import * as assert from "node:assert/strict";
import * as v from "valibot";
import { type HfClient, hubTest } from "../support/hub_clients.ts";
import { modelFile } from "../support/models.ts";
import { ScanRoom } from "../support/scan_room.ts";
import { until } from "../support/until.ts";
import { settledVerdicts } from "../support/verdicts.ts";

const CLEAN = await modelFile("pickle/plain_3.pkl");
const DANGEROUS = await modelFile("pickle/hostile/eval.pkl");

/** What the client shows: nothing amiss, or why it was refused. */
const Outcome = v.union([
  v.literal("done"),
  v.object({ text: v.string() }),
]);

const Gated = v.object({
  security: v.record(v.string(), v.tuple([v.boolean(), v.string()])),
  repository: v.unknown(),
  files: v.record(v.string(), Outcome),
  heads: v.record(v.string(), Outcome),
  snapshot: Outcome,
});

/** One for the tests of all versions, which run in turn. */
const room = new ScanRoom();

hubTest("C 18 the hub refuses what the gate refuses, and the client says why", async (test) => {
  const { server, client, step } = test;
  const one = await server.as(1);
  const look = async () => v.parse(Gated, await client.program("gated"));
  const refused = (outcome: unknown, reason: RegExp) => {
    const { text } = v.parse(v.object({ text: v.string() }), outcome);
    assert.match(text, reason);
  };
  room.isOpen = false;
  await one.put("models/team/mixed/clean.pkl", CLEAN);
  await one.put("models/team/mixed/evil.pkl", DANGEROUS);

  await step(
    "C 31 while the scan is pending, the client waits or says so, and then succeeds",
    async () => {
      const get = ["download", "team/mixed", "clean.pkl", "--local-dir", "out"];
      const download = client.hf(...get);
      await until(() => server.log.some((line) => JSON.parse(line).status === 429));
      // Versions before 1.0 ask for the size of a file once only.
      if (client.version.version.startsWith("0.")) {
        const { stderr } = await download;
        assert.match(stderr, /clean\.pkl.*pending/);
        room.isOpen = true;
        await settledVerdicts(one);
        await client.succeed(...get);
      } else {
        room.isOpen = true;
        const { code, stderr } = await download;
        assert.equal(code, 0, stderr);
      }
      assert.deepEqual(await Deno.readFile(`${client.options.home}/out/clean.pkl`), CLEAN);
    },
  );
  await step("C 18 what is clean is downloaded, and what is dangerous is not", async () => {
    await settledVerdicts(one);
    const { security, files, heads, snapshot } = await look();
    assert.deepEqual(security, { "clean.pkl": [true, "safe"], "evil.pkl": [false, "unsafe"] });
    assert.equal(files["clean.pkl"], "done");
    assert.equal(heads["clean.pkl"], "done");
    const reason = /evil\.pkl.*dangerous, S\d+/;
    refused(files["evil.pkl"], reason);
    refused(heads["evil.pkl"], reason);
    refused(snapshot, reason);
    assert.match(await failed(client, "evil.pkl"), reason);
    assert.match(await failed(client), reason);
  });
  await step("C 18 what replaces it, when it is clean", async () => {
    await Deno.writeFile(`${client.options.home}/evil.pkl`, await modelFile("pickle/plain_2.pkl"));
    await client.succeed("upload", "team/mixed", "evil.pkl");
    await settledVerdicts(one);
    await client.succeed("download", "team/mixed", "--local-dir", "whole");
    const received = await Deno.readFile(`${client.options.home}/whole/evil.pkl`);
    assert.deepEqual(received, await modelFile("pickle/plain_2.pkl"));
    const { snapshot, security } = await look();
    assert.equal(snapshot, "done");
    assert.deepEqual(security["evil.pkl"], [true, "safe"]);
  });
}, { versions: "all", settings: { gate: "block" }, host: room.host });

/** What `hf download` prints when it fails. */
function failed(client: HfClient, ...names: string[]): Promise<string> {
  return client.fail("download", "team/mixed", ...names, "--local-dir", "refused");
}
