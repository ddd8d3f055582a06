import * as assert from "node:assert/strict";
import { readSettings } from "../../../schemas/settings.ts";
import { mirrorAuthorities } from "../../../schemas/mirror_settings.ts";
import { permissionsFor } from "../../../cli/permissions.ts";
import { ChildServer } from "../../support/child_server.ts";
import { HubDouble } from "../../support/hub_double.ts";
import { HubClient } from "../../support/hub.ts";
import { download } from "../../support/mirroring.ts";
import { noise } from "../../support/random.ts";
import { USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

Deno.test("C 28 a server may connect to the other hub and its hosts, and to nothing else", () => {
  const settings = (variables: Record<string, string>) =>
    readSettings((name) => variables[name.replace("STRONGROOM_", "")]);
  const net = (variables: Record<string, string>) => permissionsFor(settings(variables)).net;
  const own = net({});
  assert.deepEqual(
    net({ MIRROR_URL: "http://hub.example/hub", MIRROR_HOSTS: "cdn.example,cdn.example:8080" }),
    [...own, "hub.example:80", "cdn.example:80", "cdn.example:8080"],
  );
  const [hub, ...hosts] = mirrorAuthorities(settings({ MIRROR_URL: "https://huggingface.co" }));
  assert.equal(hub, "huggingface.co:443");
  assert.ok(hosts.includes("cas-bridge.xethub.hf.co:443"));
  assert.deepEqual(mirrorAuthorities(settings({ MIRROR_HOSTS: "cdn.example" })), []);
  for (
    const invalid of [
      "a b",
      "*.example",
      "https://cdn.example",
      "cdn.example/x",
      "user@cdn.example",
      "a,,b",
    ]
  ) {
    assert.throws(() => settings({ MIRROR_HOSTS: invalid }), /STRONGROOM_MIRROR_HOSTS/, invalid);
  }
});

Deno.test("C 28 a mirror has what its permissions need, also to look up the addresses of hosts", async () => {
  await using directory = await TempDir.make();
  await using double = HubDouble.start();
  const content = noise(2_000_000);
  double.add("org/model", { "w.bin": { content } });
  await using server = await ChildServer.start({
    dataDir: directory.path,
    env: {
      // The addresses of names are looked up, and those of other names must not be.
      STRONGROOM_MIRROR_URL: double.url.replace("127.0.0.1", "localhost"),
      STRONGROOM_MIRROR_HOSTS: double.contentHost,
      STRONGROOM_GATE: "block",
    },
  });
  const client = await server.as(1, [...USER_PRIVILEGES, "mirror.use"]);
  const hub = new HubClient(server, client);
  await until(async () => {
    const { response, bytes } = await download(hub, "/org/model/resolve/main/w.bin");
    if (response.status === 429) return false;
    assert.deepEqual(bytes, content);
    return true;
  });
});
