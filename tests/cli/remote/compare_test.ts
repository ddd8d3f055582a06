import * as assert from "node:assert/strict";
import * as v from "valibot";
import { Comparison } from "../../../schemas/compare.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { bytesTensor, safetensorsOf } from "../../support/tensors.ts";

Deno.test("C 29 compare prints what is different between files, directories and versions", async () => {
  // Weights are read while the command asks again and again.
  await using server = await TestServer.start({ patienceMs: 1 });
  await using directory = await TempDir.make();
  const user = await server.as(1);
  await user.upload("m", {
    "config.json": '{"layers":1,"gone":[]}',
    "model.safetensors": safetensorsOf({ a: bytesTensor(1), b: bytesTensor(2), c: bytesTensor(3) }),
    "notes.txt": "one\ntwo\n",
    "same.txt": "same",
    "old.bin": "\0",
  });
  await user.json("POST", "/tags/", { name: "v1", path: "m" });
  await user.put("m/config.json", '{"layers":2}');
  await user.put(
    "m/model.safetensors",
    safetensorsOf({ a: bytesTensor(1), b: bytesTensor(4), d: { ...bytesTensor(3), dtype: "I8" } }),
  );
  await user.put("m/notes.txt", "one\n2\u001b[31m\n");
  await user.move({ source: "m/old.bin", destination: "m/new.bin" });
  const client = await RemoteClient.of(server, directory.path);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await client.run(["compare", ...args]);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };
  const expected = [
    "m/ (version 1) → m/",
    "~ config.json",
    "    ~ layers: 1 → 2",
    "    - gone: []",
    "~ model.safetensors  168 bytes",
    "> old.bin → new.bin",
    "~ notes.txt",
    "    @@ 1 1 @@",
    "     one",
    "    -two",
    "    +2\\u{1b}[31m",
    "m/model.safetensors tensors: 1 changed, 1 added, 1 removed, 1 equal",
    "    ~ b  U8 [1]  other bytes",
    "    - c  U8 [1]",
    "    + d  I8 [1]",
    "1 file is equal",
    "",
  ];
  assert.deepEqual((await run("m@v1")).split("\n"), expected);
  assert.deepEqual((await run("m", "/m/", "--from-at", "v1")).split("\n"), expected);
  const json = v.parse(Comparison, JSON.parse(await run("--json", "m@1", "m")));
  assert.deepEqual([json.from.version, json.weights[0]?.changed], [1, 1]);
  assert.equal(await run("m", "m"), "m/ → m/\nNothing is different\n");
  const refusedWith = async (expected: RegExp, ...args: string[]) => {
    const { code, stderr } = await client.run(["compare", ...args]);
    assert.notEqual(code, 0);
    assert.match(stderr, expected);
  };
  await refusedWith(/needs two paths/, "a", "b", "c");
  await refusedWith(/needs another path, or a version/, "m");
  await refusedWith(/--from-at must be/, "m", "--from-at", "");
  await refusedWith(/ErrResourcesNotFound/, "m", "n");
});
