import * as assert from "node:assert/strict";
import { HubClient, hubRefused, jsonOf } from "../support/hub.ts";
import { newRecord } from "../support/seed.ts";
import { TestServer } from "../support/server.ts";

const PARTS = ["model-BF16-00001-of-00002.gguf", "model-BF16-00002-of-00002.gguf"];

Deno.test("C 31 a manifest names the GGUF file of a tag, as llama.cpp asks for it", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const files = [
    "README.md",
    "model-Q4_K_M.gguf",
    "model-Q8_0.gguf",
    "model.iq2_xs.GGUF",
    ...PARTS,
  ];
  for (const name of files) await user.put(`models/team/one/${name}`, name);
  await user.put("models/team/one/.lfs/x-Q5_0.gguf", "hidden");
  const manifest = async (tag: string, repository = "team/one") =>
    jsonOf(
      await hub.send("GET", `/v2/${repository}/manifests/${tag}`, {
        headers: { "User-Agent": "llama-cpp", Accept: "application/json" },
      }),
    );
  const named = (rfilename: string) => ({ ggufFile: { rfilename } });

  await t.step("C 31 by the quantization, in upper or lower case", async () => {
    assert.deepEqual(await manifest("Q8_0"), named("model-Q8_0.gguf"));
    assert.deepEqual(await manifest("q4_k_m"), named("model-Q4_K_M.gguf"));
    assert.deepEqual(await manifest("IQ2_XS"), named("model.iq2_xs.GGUF"));
    assert.deepEqual(await manifest("BF16"), named(PARTS[0] ?? ""));
    assert.deepEqual(await manifest("model-q8_0.gguf"), named("model-Q8_0.gguf"));
  });
  await t.step("C 31 latest: Q4_K_M, or else the first", async () => {
    assert.deepEqual(await manifest("latest"), named("model-Q4_K_M.gguf"));
    await user.remove({ path: "models/team/one/model-Q4_K_M.gguf" });
    assert.deepEqual(await manifest("latest"), named(PARTS[0] ?? ""));
  });
  await t.step("C 31 with the projector of a model that takes images", async () => {
    await user.put("models/team/two/mmproj-model-f16.gguf", "projector");
    hubRefused(await hub.send("GET", "/v2/team/two/manifests/latest"), 404, "EntryNotFound");
    await user.put("models/team/two/model-f16.gguf", "model");
    assert.deepEqual(await manifest("F16", "team/two"), {
      ...named("model-f16.gguf"),
      mmprojFile: { rfilename: "mmproj-model-f16.gguf" },
    });
  });
  await t.step("C 31 the file that it names can be read", async () => {
    const reply = await hub.send("GET", "/team/one/resolve/main/model-Q8_0.gguf");
    assert.equal(reply.text, "model-Q8_0.gguf");
  });
  await t.step("C 31 a tag that no file has, and what is no model", async () => {
    for (const tag of ["Q4_K_M", "Q8", "8_0", "Q5_0", "%00", "..%2f"]) {
      const reply = await hub.send("GET", `/v2/team/one/manifests/${tag}`);
      assert.match(hubRefused(reply, 404, "EntryNotFound"), /no GGUF file has this in its name/);
    }
    hubRefused(await hub.send("GET", "/v2/team/none/manifests/latest"), 404, "RepoNotFound");
    hubRefused(await hub.send("GET", "/v2/team/one/blobs/sha256:0"), 501);
    const bare = { headers: { Authorization: "" } };
    hubRefused(await hub.send("GET", "/v2/team/one/manifests/latest", bare), 401);
  });
  await t.step("C 31 no more than 10 000 records are looked at", async () => {
    const directories = Array.from({ length: 10_001 }, (_, index) => `models/team/one/d${index}/`);
    await server.tree.records.write((transaction) =>
      transaction.insert(directories.map((path) => newRecord({ path, userId: 7 })))
    );
    const reply = await hub.send("GET", "/v2/team/one/manifests/latest");
    assert.match(hubRefused(reply, 400), /has more than 10000 files and folders/);
  });
});
