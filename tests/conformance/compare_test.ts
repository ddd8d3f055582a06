import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { Comparison } from "../../schemas/compare.ts";
import type { TensorReader } from "../../core/compare/ports.ts";
import type { TensorList } from "../../core/scanner/mod.ts";
import { ScanFailure } from "../../core/scans/ports.ts";
import { type Client, dataOf, type QueryParameters, refused } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { TestServer } from "../support/server.ts";
import { bytesTensor, safetensorsOf } from "../support/tensors.ts";
import { until } from "../support/until.ts";
import { settledVerdicts } from "../support/verdicts.ts";

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

Deno.test("C 29 the files of a model are compared together, whatever their names, as far as one is like another", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const put = (path: string, ...names: number[]) =>
    one.put(
      path,
      safetensorsOf(Object.fromEntries(names.map((it) => [`layer.${it}`, bytesTensor(it)]))),
    );
  await put("a/model-00001-of-00002.safetensors", 1, 2);
  await put("a/model-00002-of-00002.safetensors", 10, 11);
  await put("b/model.safetensors", 1, 2, 3, 10);
  const shards = (await compared(one, { from: "a", to: "b" })).weights;
  assert.deepEqual(
    shards.map(({ from, to, equal, tensors }) => [
      ...[from.length, to, equal],
      tensors.map(({ name, action }) => `${action} ${name}`),
    ]),
    [[2, ["b/model.safetensors"], 3, ["added layer.3", "removed layer.11"]]],
  );

  // One model of the same format is left on each side.
  await put("c/q4.safetensors", 1);
  await put("d/q8.safetensors", 2);
  assert.equal((await compared(one, { from: "c", to: "d" })).weights[0]?.removed, 1);
  await put("d/q9.safetensors", 2, 3);
  assert.deepEqual((await compared(one, { from: "c", to: "d" })).weights, []);

  // Equal parts are not read.
  await put("e/model-00001-of-00002.safetensors", 1, 2);
  await put("e/model-00002-of-00002.safetensors", 10, 12);
  const parts = await compared(one, { from: "a", to: "e" });
  assert.deepEqual([parts.equal_files, parts.weights[0]?.from, parts.weights[0]?.equal], [
    1,
    ["a/model-00002-of-00002.safetensors"],
    1,
  ]);
});

Deno.test("C 29 weights are read once for a user, and forgotten with the content", async () => {
  const read: string[] = [];
  await using server = await TestServer.start({
    settings: { history: 0 },
    tensors: {
      listTensors({ name }, { userId }) {
        read.push(`${userId} ${name}`);
        return Promise.resolve({
          format: "safetensors",
          sha256: createHash("sha256").update(name.startsWith("new") ? NEW : OLD).digest("hex"),
          lines: "",
        });
      },
    },
  });
  const [one, two] = [await server.as(1), await server.as(2)];
  const files = { "old.safetensors": OLD, "new.safetensors": NEW };
  const compare = (client: Client) =>
    compared(client, { from: "m/old.safetensors", to: "m/new.safetensors" });
  await one.upload("m", files);
  await compare(one);
  await compare(one);
  assert.deepEqual(read.splice(0), ["1 old.safetensors", "1 new.safetensors"]);
  // What others have had read is read again: nobody learns what they have (C 31).
  await two.upload("m", files);
  await compare(two);
  assert.deepEqual(read.splice(0), ["2 old.safetensors", "2 new.safetensors"]);
  await one.remove({ path: "m/old.safetensors" });
  await one.put("m/old.safetensors", OLD);
  await compare(one);
  assert.deepEqual(read.splice(0), ["1 old.safetensors"]);
});

Deno.test("C 29 a comparison says that weights are being read, and why they cannot be", async () => {
  const ended = Promise.withResolvers<TensorList>();
  const lists: TensorReader["listTensors"][] = [
    () => ended.promise,
    () => Promise.reject(new ScanFailure("Scan used too much")),
  ];
  await using server = await TestServer.start({
    patienceMs: 1,
    tensors: {
      listTensors: (content, options) =>
        lists.shift()?.(content, options) ?? Promise.reject(new Error("It was read again")),
    },
  });
  const one = await server.as(1);
  await one.put("old.safetensors", OLD);
  await one.put("new.safetensors", NEW);
  await one.put("notes.txt", "x");
  const compare = () => compared(one, { from: "old.safetensors", to: "new.safetensors" });
  for (let asked = 0; asked < 3; asked++) {
    const { pending, weights } = await compare();
    assert.deepEqual([pending, weights[0]?.state], [2, "pending"]);
  }
  const sha256 = createHash("sha256").update(OLD).digest("hex");
  ended.resolve({ format: "safetensors", sha256, lines: "" });
  await until(async () => (await compare()).pending === 0);
  const { weights: [failed] } = await compare();
  assert.deepEqual([failed?.state, failed?.reason], ["failed", "Scan used too much"]);
});

Deno.test("C 29 a list that hostile content has made up is refused, as is one of other content", async () => {
  const replies = [
    { sha256: sha256(1), lines: "" },
    { sha256: createHash("sha256").update(NEW).digest("hex"), lines: '["a","F32",[-1],1,null]' },
  ];
  await using server = await TestServer.start({
    tensors: {
      listTensors: () =>
        Promise.resolve({ format: "safetensors", sha256: "", lines: "", ...replies.shift() }),
    },
  });
  const one = await server.as(1);
  await one.put("old.safetensors", OLD);
  await one.put("new.safetensors", NEW);
  const first = await compared(one, { from: "old.safetensors", to: "new.safetensors" });
  assert.deepEqual(first.weights[0]?.reason, "Content damaged");
  const second = await compared(one, { from: "new.safetensors", to: "old.safetensors" });
  assert.deepEqual(second.weights[0]?.reason, "Scanner gave an invalid reply");
});

Deno.test("C 29 contents that the gate refuses are compared by their digests alone", async () => {
  let read = 0;
  await using server = await TestServer.start({
    settings: { gate: "block" },
    tensors: {
      listTensors() {
        read++;
        return Promise.reject(new Error("It must not be read"));
      },
    },
  });
  const one = await server.as(1);
  const evil = await modelFile("pickle/hostile/eval.pkl");
  await one.upload("a", { "evil.pkl": evil, "evil.safetensors": evil, "fine.txt": "1\n" });
  await one.upload("b", {
    "evil.pkl": new Uint8Array([...evil, 0x2e]),
    "evil.safetensors": new Uint8Array([...evil, 0x2e]),
    "fine.txt": "2\n",
  });
  await settledVerdicts(one);
  const { files, weights } = await compared(one, { from: "a", to: "b" });
  assert.deepEqual(
    files.map(({ path, compared, reason }) => [path, compared, reason?.split(":")[0] ?? null]),
    [
      ["evil.pkl", "content", "Cannot download"],
      ["evil.safetensors", "tensors", "Cannot download"],
      ["fine.txt", "lines", null],
    ],
  );
  assert.deepEqual([weights[0]?.state, weights[0]?.tensors, read], ["failed", [], 0]);
});

Deno.test("C 29 a comparison is of the tree that is named, and shows nothing of others", async () => {
  await using server = await TestServer.start();
  const [one, two] = [await server.as(1), await server.as(2)];
  await one.put("a", "1\n");
  await one.put("b", "2\n");
  await two.put("b", "3\n");
  const query = { from: "a", to: "b" };
  refused(
    await two.send("GET", "/resources/compare", { query }),
    404,
    "ErrResourcesNotFound",
  );
  const admin = await server.admin();
  const { files } = await compared(admin, { ...query, tree: "1" });
  assert.deepEqual(files[0]?.hunks[0]?.lines, ["-1", "+2"]);
});

Deno.test("C 29 lists of tensors that are too large together are not taken into memory", async () => {
  const digest = (algorithm: string, content: string) =>
    createHash(algorithm).update(content).digest("hex");
  const contents = new Map<string, string>();
  await using server = await TestServer.start({
    patienceMs: 600_000,
    tensors: {
      listTensors({ hash, name }) {
        const lines = Array.from(
          { length: 12_000 },
          (_, index) => `["${`${name}${index}`.padEnd(500, "x")}","U8",[1],1,null]`,
        );
        const sha256 = digest("sha256", contents.get(hash) ?? "");
        return Promise.resolve({ format: "safetensors", sha256, lines: lines.join("\n") });
      },
    },
  });
  const one = await server.as(1);
  const shard = (index: number) => `m-0000${index}-of-00006.safetensors`;
  for (let index = 1; index <= 6; index++) {
    for (const side of ["a", "b"]) {
      const content = `${side} ${index}`;
      contents.set(digest("md5", content), content);
      await one.put(`${side}/${shard(index)}`, content);
    }
  }
  const { weights: [found] } = await compared(one, { from: "a", to: "b" });
  assert.deepEqual([found?.state, found?.reason], [
    "failed",
    "It has too many tensors to compare",
  ]);
});
