import * as assert from "node:assert/strict";
import type { Settings } from "../../schemas/settings.ts";
import { type Client, refused } from "../support/client.ts";
import { HubClient } from "../support/hub.ts";
import { follow, linkTo } from "../support/links.ts";
import { modelFile } from "../support/models.ts";
import { TestServer } from "../support/server.ts";
import { settledVerdicts, statOf } from "../support/verdicts.ts";

/** Bytes of no format at all. */
const UNKNOWN = new Uint8Array(500).fill(0xf3);
/** A pickle without a signature, behind more than detection followed once. */
const HIDDEN = new TextEncoder().encode(`${"I1\n0".repeat(30_000)}cos\nsystem\n(S'true'\ntR.`);
const DIRECTORY = "models/team/one";

/** A server that blocks, with files of no known format. */
async function prepared(gateUnknown: Settings["gateUnknown"], isAdmin = false) {
  const server = await TestServer.start({ settings: { gate: "block", gateUnknown } });
  const user = isAdmin ? await server.admin() : await server.as(7);
  await user.upload(DIRECTORY, {
    "m.bin": UNKNOWN,
    "M.PT": UNKNOWN,
    "notes.xyz": UNKNOWN,
    "ok.pkl": await modelFile("pickle/plain_3.pkl"),
  });
  await settledVerdicts(user);
  return { server, user };
}

/** The status of every door for a file. */
async function doors(server: TestServer, user: Client, name: string) {
  const path = `${DIRECTORY}/${name}`;
  const hub = new HubClient(server, user);
  const send = (method: string, query: Record<string, string | string[]>) =>
    user.send(method, "/resources/download", { query });
  return {
    download: (await send("GET", { path })).status,
    head: (await send("HEAD", { path })).status,
    zip: (await send("GET", { "paths[]": [path, `${DIRECTORY}/ok.pkl`] })).status,
    file: (await user.file("GET", path)).status,
    link: (await follow(await linkTo(user, path))).status,
    hub: (await hub.send("GET", `/team/one/resolve/main/${name}`)).status,
  };
}

const OPEN = { download: 200, head: 200, zip: 200, file: 200, link: 200, hub: 200 };
const CLOSED = { download: 403, head: 403, zip: 403, file: 403, link: 403, hub: 403 };

Deno.test("C 31 content of no known format has a verdict of its own, and passes by default", async () => {
  const { server, user } = await prepared("allow");
  await using _ = server;
  assert.deepEqual(await settledVerdicts(user), [
    `${DIRECTORY}/M.PT unknown`,
    `${DIRECTORY}/m.bin unknown`,
    `${DIRECTORY}/notes.xyz unknown`,
    `${DIRECTORY}/ok.pkl clean`,
  ]);
  const { verdict } = await statOf(user, `${DIRECTORY}/m.bin`);
  assert.deepEqual(verdict?.findings, [{
    rule_code: "S903",
    severity: "info",
    message: "Not recognized: the file could not be checked",
    why:
      "Model loaders open files with this extension. What they would do with this one is unknown.",
  }]);
  for (const name of ["m.bin", "M.PT", "notes.xyz", "ok.pkl"]) {
    assert.deepEqual(await doors(server, user, name), OPEN, name);
  }
});

Deno.test("C 31 GATE_UNKNOWN=names blocks it at every door under names that loaders open", async () => {
  const { server, user } = await prepared("names");
  await using _ = server;
  for (const name of ["m.bin", "M.PT"]) {
    assert.deepEqual(await doors(server, user, name), CLOSED, name);
  }
  for (const name of ["notes.xyz", "ok.pkl"]) {
    assert.deepEqual(await doors(server, user, name), OPEN, name);
  }
  const reply = await user.send("GET", "/resources/download", { query: { path: DIRECTORY } });
  const message = refused(reply, 403, "ErrResourcesQuarantined");
  assert.match(message, /M\.PT" \(unknown, S903\), "\S+m\.bin" \(unknown, S903\)$/);
  // A copy under another kind of name, and back.
  await user.copy({ source: `${DIRECTORY}/m.bin`, destination: `${DIRECTORY}/m.txt2` });
  await settledVerdicts(user);
  assert.deepEqual(await doors(server, user, "m.txt2"), OPEN);
  await user.move({ source: `${DIRECTORY}/m.txt2`, destination: `${DIRECTORY}/back.bin` });
  await settledVerdicts(user);
  assert.deepEqual(await doors(server, user, "back.bin"), CLOSED);
});

Deno.test("C 31 GATE_UNKNOWN=block blocks it under any name, unless it is waived", async () => {
  const { server, user } = await prepared("block", true);
  await using _ = server;
  for (const name of ["m.bin", "notes.xyz"]) {
    assert.deepEqual(await doors(server, user, name), CLOSED, name);
  }
  assert.deepEqual(await doors(server, user, "ok.pkl"), OPEN);
  const { sha256 } = await statOf(user, `${DIRECTORY}/m.bin`);
  await user.json("POST", "/waivers/", { sha256, reason: "raw weights" });
  assert.deepEqual(await doors(server, user, "m.bin"), OPEN);
});

Deno.test("C 18 a copy or a move to another kind of name is judged anew before it is served", async (t) => {
  await using server = await TestServer.start({ settings: { gate: "block" } });
  const user = await server.as(7);
  await user.upload(DIRECTORY, {
    "a.pkl": HIDDEN,
    "ok.pkl": await modelFile("pickle/plain_3.pkl"),
  });
  await settledVerdicts(user);
  for (const name of ["a.pt", "a.bin", "a.sav", "a.dat", "a.txt", "a.p", "a.ckpt"]) {
    await t.step(name, async () => {
      await user.copy({ source: `${DIRECTORY}/a.pkl`, destination: `${DIRECTORY}/${name}` });
      // Neither before it is judged, when the hub says 429, nor afterwards.
      const before = Object.values(await doors(server, user, name));
      assert.ok(before.every((status) => status === 403 || status === 429), before.join());
      await settledVerdicts(user);
      assert.equal((await statOf(user, `${DIRECTORY}/${name}`)).verdict?.verdict, "dangerous");
      assert.deepEqual(await doors(server, user, name), CLOSED);
    });
  }
});
