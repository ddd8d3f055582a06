import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { Comparison } from "../../schemas/compare.ts";
import { type Client, dataOf, type QueryParameters, refused } from "../support/client.ts";
import { TestServer } from "../support/server.ts";
import { bytesTensor, safetensorsOf } from "../support/tensors.ts";

async function compared(client: Client, query: QueryParameters): Promise<Comparison> {
  const reply = await client.send("GET", "/resources/compare", { query });
  assert.equal(reply.status, 200, reply.text);
  return v.parse(Comparison, dataOf(reply));
}

function sha256(...bytes: readonly number[]): string {
  return createHash("sha256").update(Uint8Array.from(bytes)).digest("hex");
}

const OLD = safetensorsOf({
  same: bytesTensor(1, 2, 3),
  bytes: bytesTensor(4, 5),
  shape: bytesTensor(6, 7),
  dtype: bytesTensor(8),
  gone: bytesTensor(9),
});
const NEW = safetensorsOf({
  dtype: { ...bytesTensor(8), dtype: "I8" },
  same: bytesTensor(1, 2, 3),
  bytes: bytesTensor(4, 6),
  shape: { ...bytesTensor(6, 7), shape: [2, 1] },
  added: bytesTensor(),
});

Deno.test("C 29 tensors are compared by name, type, shape and bytes", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.put("old.safetensors", OLD);
  await one.put("new.safetensors", NEW);
  const found = await compared(one, { from: "old.safetensors", to: "new.safetensors" });
  assert.deepEqual(found.from, { path: "old.safetensors", version: null, is_dir: false });
  assert.deepEqual([found.pending, found.complete, found.equal_files], [0, true, 0]);
  const [file, ...others] = found.files;
  assert.deepEqual([file?.action, file?.path, file?.former_path, file?.compared, others], [
    "changed",
    "new.safetensors",
    "old.safetensors",
    "tensors",
    [],
  ]);
  const [weights] = found.weights;
  assert.ok(weights !== undefined);
  const { tensors, ...counts } = weights;
  assert.deepEqual(counts, {
    from: ["old.safetensors"],
    to: ["new.safetensors"],
    format: "safetensors",
    state: "compared",
    reason: null,
    equal: 1,
    added: 1,
    removed: 1,
    changed: 3,
    unread: 0,
    left_out: 0,
  });
  assert.deepEqual(tensors.map(({ name, action, differs }) => [name, action, differs]), [
    ["added", "added", []],
    ["bytes", "changed", ["bytes"]],
    ["dtype", "changed", ["dtype"]],
    ["gone", "removed", []],
    ["shape", "changed", ["shape"]],
  ]);
  assert.deepEqual(tensors[1]?.from, {
    dtype: "U8",
    shape: [2],
    bytes: 2,
    sha256: sha256(4, 5),
  });
  assert.equal(tensors[1]?.to?.sha256, sha256(4, 6));
  assert.equal(tensors[0]?.to?.sha256, sha256());
});

Deno.test("C 29 versions are compared: keys of JSON, lines of texts, other files by their digests", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("m", {
    "config.json": '{"a":1,"rope":{"factor":2,"odd key":[1,2]},"gone":{"x":null}}',
    "README.md": "# Model\n\none\ntwo\nthree\n",
    "weights.bin": new Uint8Array([0, 1]),
    "old.txt": "moves",
    "same.txt": "stays",
  });
  await one.json("POST", "/tags/", { name: "v1", path: "m" });
  await one.put("m/config.json", '{"a":"1","rope":{"factor":4,"odd key":[1]},"new":true}');
  await one.put("m/README.md", "# Model\n\none\n2\nthree");
  await one.put("m/weights.bin", new Uint8Array([0, 2]));
  await one.json("PUT", "/resources/move", { sources: ["m/old.txt"], destination: "m/new.txt" });
  const found = await compared(one, { from: "m@v1", to: "m" });
  assert.equal(found.from.path, "m");
  assert.equal(typeof found.from.version, "number");
  assert.deepEqual([found.equal_files, found.complete, found.weights], [1, true, []]);
  assert.deepEqual(
    found.files.map(({ path, action, compared, former_path }) => [
      ...[path, action, compared, former_path],
    ]),
    [
      ["README.md", "changed", "lines", null],
      ["config.json", "changed", "keys", null],
      ["new.txt", "moved", "content", "old.txt"],
      ["weights.bin", "changed", "content", null],
    ],
  );
  const [readme, config] = found.files;
  assert.deepEqual(config?.keys, [
    { key: "a", action: "changed", from: "1", to: '"1"' },
    { key: "rope.factor", action: "changed", from: "2", to: "4" },
    { key: 'rope["odd key"][1]', action: "removed", from: "2", to: null },
    { key: "gone", action: "removed", from: '{"x":null}', to: null },
    { key: "new", action: "added", from: null, to: "true" },
  ]);
  assert.deepEqual(readme?.hunks, [{
    from: 1,
    to: 1,
    lines: [
      " # Model",
      " ",
      " one",
      "-two",
      "-three",
      "+2",
      "+three",
      "\\ No newline at the end",
    ],
  }]);
});

Deno.test("C 29 an @ in a path is a part of it where something is there, or a version follows as from_at", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.put("m@v1", "first\n");
  await one.put("m", "second\n");
  await one.json("POST", "/tags/", { name: "v1", path: "m" });
  await one.put("m", "third\n");
  const lines = async (query: QueryParameters) =>
    (await compared(one, query)).files[0]?.hunks[0]?.lines;
  assert.deepEqual(await lines({ from: "m@v1", to: "m" }), ["-first", "+third"]);
  assert.deepEqual(await lines({ from: "m", from_at: "v1", to: "m" }), ["-second", "+third"]);
  await one.send("DELETE", "/resources/", { query: { path: "m@v1" } });
  assert.deepEqual(await lines({ from: "m@v1", to: "m" }), ["-second", "+third"]);
});

Deno.test("C 29 comparisons are refused with a reason", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.put("d/a", "a");
  const ask = (query: QueryParameters) => one.send("GET", "/resources/compare", { query });
  refused(await ask({ from: "d" }), 400, "ErrResourcesInvalidRequest");
  refused(await ask({ from: "d", to: ["d", "d"] }), 400, "ErrResourcesInvalidRequest");
  refused(await ask({ from: "d", to: "d/a" }), 400, "ErrResourcesInvalidRequest");
  refused(await ask({ from: "d", to: "e" }), 404, "ErrResourcesNotFound");
  refused(await ask({ from: "d@none", to: "d" }), 404, "ErrVersionsNotFound");
  refused(await ask({ from: "d@", to: "d" }), 400, "ErrResourcesInvalidRequest");
  const viewer = await server.as(1, "resources.view");
  const query = { from: "d", to: "d" };
  assert.equal((await viewer.send("GET", "/resources/compare", { query })).status, 403);
});
