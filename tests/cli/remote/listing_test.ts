import * as assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { entriesOf } from "../../../cli/remote/listing.ts";
import { ConnectionLost } from "../../../cli/remote/remote_error.ts";
import { ROOT } from "../../support/child_server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { RemoteClient } from "../../support/remote_client.ts";

const TIME = "2026-11-22T09:00:00.000Z";

function entry(id: number, name: string) {
  return {
    id,
    user_id: 1,
    name,
    path: name,
    size: 1,
    is_dir: false,
    created_at: TIME,
    updated_at: TIME,
  };
}

const NAMES = ['a"}{', "b\\", "c]", '\\\\"', "d\u{1f600}", "{[", "e"];

Deno.test("C 25 entriesOf() reads a list however it is cut into chunks", async () => {
  const items = NAMES.map((name, index) => entry(index + 1, name));
  const json = JSON.stringify({ status: "success", data: { items, total: items.length } });
  const bytes = new TextEncoder().encode(json);
  for (const size of [1, 2, 3, 7, 100, bytes.length]) {
    const chunks = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, n) => bytes.slice(n * size, (n + 1) * size),
    );
    const read = await Array.fromAsync(entriesOf(new Response(ReadableStream.from(chunks))));
    assert.deepEqual(read.flat(), items, `chunks of ${size} bytes`);
  }
});

Deno.test("C 25 entriesOf() does not take a list that was cut for a whole one", async () => {
  const items = NAMES.map((name, index) => entry(index + 1, name));
  const json = JSON.stringify({ status: "success", data: { items, total: items.length } });
  for (const length of [20, 200, json.indexOf("],")]) {
    const read = Array.fromAsync(entriesOf(new Response(json.slice(0, length))));
    await assert.rejects(read, ConnectionLost);
  }
});

Deno.test("C 25 entriesOf() takes nothing but a whole list for one", async () => {
  const list = (items: unknown[], total: number) =>
    JSON.stringify({ status: "success", data: { items, total } });
  const replies = [
    "",
    "<html><style>a { b: c }</style></html>",
    "{}",
    "null",
    '{"status":"success","data":{"items":[]}}',
    list([], 1),
    list([entry(1, "a")], 2),
    `${list([], 0)}${list([], 0)}`,
  ];
  for (const reply of replies) {
    await assert.rejects(Array.fromAsync(entriesOf(new Response(reply))), {
      message: "The reply of the server is not a list",
    }, reply);
  }
  assert.deepEqual((await Array.fromAsync(entriesOf(new Response(list([], 0))))).flat(), []);
});

/** A server whose root has entries with any names. */
function listingServer(
  names: (url: string) => Iterable<string>,
): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    function* parts() {
      yield '{"status":"success","data":{"items":[';
      let count = 0;
      let text = "";
      for (const name of names(url)) {
        text += `${count++ === 0 ? "" : ","}${JSON.stringify(entry(count, name))}`;
        if (text.length < 65_536) continue;
        yield text;
        text = "";
      }
      yield `${text}],"total":${count}}}`;
    }
    return new Response(ReadableStream.from(parts()).pipeThrough(new TextEncoderStream()), {
      headers: { "Content-Type": "application/json" },
    });
  });
}

Deno.test("C 25 a name of a server cannot control the terminal", async () => {
  await using directory = await TempDir.make();
  await using server = listingServer(() => ["\x1b]0;title\x07", "line\nbreak", "\u202egnp.exe"]);
  const { port } = server.addr;
  const client = new RemoteClient({
    HOME: directory.path,
    STRONGROOM_URL: `http://127.0.0.1:${port}`,
    STRONGROOM_TOKEN: "opaque",
  });
  const { code, stdout } = await client.run(["ls", "-l"]);
  assert.equal(code, 0);
  // deno-lint-ignore no-control-regex -- these are what must not be there
  assert.doesNotMatch(stdout.replaceAll("\n", ""), /[\x00-\x1f\u202e]/);
  assert.match(stdout, /line\\u\{a\}break\n/);
});

Deno.test("C 25 ls -R of a root too large to be sorted leaves the order to the server", async () => {
  await using directory = await TempDir.make();
  function* names(url: string) {
    for (let n = 12_000; n > 0; n--) yield `top-${n}`;
    if (url.includes("recursive=true")) yield "top-1/below";
  }
  await using server = listingServer(names);
  const client = new RemoteClient({
    HOME: directory.path,
    STRONGROOM_URL: `http://127.0.0.1:${server.addr.port}`,
    STRONGROOM_TOKEN: "opaque",
  });
  const { code, stdout, stderr } = await client.run(["ls", "-R"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const lines = stdout.trimEnd().split("\n");
  assert.deepEqual([lines.length, lines[0], lines.at(-1)], [12_001, "top-12000", "top-1/below"]);
});

Deno.test("C 25 ls ends without a message when the reader closes the pipe", async () => {
  await using directory = await TempDir.make();
  await using server = listingServer(function* () {
    for (let n = 0; n < 100_000; n++) yield `file-${n}`;
  });
  const child = new RemoteClient({
    HOME: directory.path,
    STRONGROOM_URL: `http://127.0.0.1:${server.addr.port}`,
    STRONGROOM_TOKEN: "opaque",
  }).spawn(["ls"]);
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  const [stderr, { code }] = await Promise.all([
    new Response(child.stderr).text(),
    child.status,
    child.stdin.close(),
  ]);
  assert.deepEqual([code, stderr], [0, ""]);
});

Deno.test({
  name: "C 25 ls prints a listing of 300 000 entries in little memory",
  ignore: Deno.build.os !== "linux",
  async fn() {
    function* names() {
      for (let n = 0; n < 300_000; n++) yield `${"directory/".repeat(10)}${n}`;
    }
    await using server = listingServer(names);
    const script = `
      import { run } from "${pathToFileURL(`${ROOT}cli/remote/ls.ts`)}";
      await run([]);
      console.error(/VmHWM:\\s*(\\d+)/.exec(Deno.readTextFileSync("/proc/self/status"))[1]);
    `;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--quiet", "--config", `${ROOT}deno.json`, script],
      env: { STRONGROOM_URL: `http://127.0.0.1:${server.addr.port}`, STRONGROOM_TOKEN: "opaque" },
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    let lines = 0;
    const [, stderr, { code }] = await Promise.all([
      (async () => {
        for await (const chunk of child.stdout) {
          for (const byte of chunk) if (byte === 0x0a) lines++;
        }
      })(),
      new Response(child.stderr).text(),
      child.status,
    ]);
    assert.deepEqual([code, lines], [0, 300_000], stderr);
    // All entries together take more than this in JSON.
    assert.ok(Number(stderr) < 220_000, `${stderr} KiB`);
  },
});
