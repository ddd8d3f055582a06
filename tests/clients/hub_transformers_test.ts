import * as assert from "node:assert/strict";
import * as v from "valibot";
import { HfClient, versionWith } from "../support/hub_clients.ts";
import { ScanRoom } from "../support/scan_room.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const version = await versionWith("transformers", "safetensors.numpy");

/** Reaches for the classes of the program that renders it. */
const DANGEROUS_TEMPLATE = "{{ ''.__class__.__mro__[1].__subclasses__() }}";

const Refused = v.object({ error: v.string() });
const Loaded = v.record(
  v.string(),
  v.object({
    config: v.unknown(),
    generation: v.unknown(),
    tokenizer: v.unknown(),
    weights: v.unknown(),
  }),
);

Deno.test({
  name: "C 20 and C 31 transformers and safetensors load a model, once it has been scanned",
  ignore: version === undefined,
  async fn() {
    if (version === undefined) return;
    await using directory = await TempDir.make();
    const room = new ScanRoom();
    await using server = await TestServer.start({ settings: { gate: "block" }, host: room.host });
    const one = await server.as(1);
    const client = new HfClient(version, {
      endpoint: `${server.origin}/hub`,
      token: one.token,
      home: directory.path,
    });
    await client.program("tiny_model", "plain");
    await client.program("tiny_model", "template", DANGEROUS_TEMPLATE);
    for (const name of ["plain", "template"]) {
      await client.succeed("upload", `team/${name}`, name, ".");
    }
    const load = async (...names: string[]) =>
      v.parse(Loaded, await client.program("from_pretrained", ...names));
    const loading = load("team/plain", "team/template", "team/missing");
    // It waits for the scans (C 31).
    await until(() => server.log.some((line) => JSON.parse(line).status === 429));
    room.isOpen = true;
    const loaded = await loading;
    const plain = {
      config: 8,
      generation: 17,
      tokenizer: { ids: [2, 3], template: null },
      weights: { weight: [[4, 8], 32] },
    };
    assert.deepEqual(loaded["team/plain"], plain);
    const template = loaded["team/template"];
    assert.equal(template?.config, 8);
    const reason = /Cannot download: in quarantine: "chat_template\.jinja" \(dangerous, S507\)/;
    assert.match(v.parse(Refused, template.tokenizer).error, reason);
    assert.match(v.parse(Refused, loaded["team/missing"]?.config).error, /team\/missing/);
  },
});
