import * as assert from "node:assert/strict";
import { ChildServer } from "../../support/child_server.ts";
import { freePort } from "../../support/ports.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { RemoteClient } from "../../support/remote_client.ts";

/** The lines of a stream so far. */
function linesOf(stream: ReadableStream<Uint8Array>): string[] {
  const lines: string[] = [];
  let text = "";
  (async () => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const whole = text.split("\n");
      text = whole.pop() ?? "";
      lines.push(...whole);
    }
  })();
  return lines;
}

Deno.test("C 25 events follows a tree, and goes on when the connection breaks", async () => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  const port = String(freePort());
  const env = { STRONGROOM_PORT: port };
  await using first = await ChildServer.start({ dataDir, env });
  const user = await first.as(1);
  const client = new RemoteClient({
    HOME: directory.path,
    STRONGROOM_URL: first.origin,
    STRONGROOM_TOKEN: user.token,
  });
  const child = client.spawn(["events"]);
  const json = client.spawn(["events", "--json"]);
  const children = [child, json];
  try {
    const [lines, entries] = [linesOf(child.stdout), linesOf(json.stdout)];
    const [errors, otherErrors] = children.map((it) => linesOf(it.stderr));
    // A stream shows what happens from its beginning on.
    await until(async () => {
      await user.mkdir(`probe-${crypto.randomUUID()}`);
      return lines.length > 0 && entries.length > 0;
    });
    await user.upload("models", { "a.txt": "hello" });
    await until(() => lines.some((it) => it === "resource.added    models/a.txt  5 bytes"));
    assert.ok(lines.includes("resource.added    models/"));
    const added = () =>
      entries.map((line) => JSON.parse(line)).find(({ data }) => data.path === "models/a.txt");
    await until(() => added() !== undefined);
    assert.equal(added().type, "resource.added");
    assert.match(added().id, /^.+$/);
    await first.end("SIGTERM");
    await using second = await ChildServer.start({ dataDir, env });
    assert.equal(second.origin, first.origin);
    // The events of the former server are gone with it, which a reader has to know.
    for (const printed of [errors, otherErrors]) {
      await until(() => printed?.some((it) => it.includes("Events are missing")) ?? false);
    }
    await user.remove({ path: "models/a.txt" });
    await until(() => lines.includes("resource.deleted  models/a.txt  5 bytes"));
    await until(() => entries.some((it) => JSON.parse(it).type === "resource.deleted"));
  } finally {
    for (const it of children) {
      it.kill("SIGINT");
      await it.stdin.close();
      await it.status;
    }
  }
});

Deno.test("C 25 events --since prints what happened after an event", async () => {
  await using directory = await TempDir.make();
  await using server = await ChildServer.start({ dataDir: `${directory.path}/data` });
  const user = await server.as(1);
  const id = await (async () => {
    await using reader = await user.events();
    await user.mkdir("one");
    return (await reader.next())?.id ?? "";
  })();
  await user.mkdir("two");
  const client = new RemoteClient({
    HOME: directory.path,
    STRONGROOM_URL: server.origin,
    STRONGROOM_TOKEN: user.token,
  });
  const child = client.spawn(["events", "--since", id]);
  try {
    const lines = linesOf(child.stdout);
    await until(() => lines.length > 0);
    assert.equal(lines[0], "resource.added    two/");
  } finally {
    child.kill("SIGTERM");
    await child.stderr.cancel();
    await child.stdin.close();
    await child.status;
  }
});
