import * as assert from "node:assert/strict";
import {
  createRepo,
  deleteFile,
  downloadFile,
  fileExists,
  listFiles,
  uploadFiles,
  whoAmI,
} from "@huggingface/hub";
import * as v from "valibot";
import { NewTokenEntry } from "../../schemas/tokens.ts";
import { Client, dataOf } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";

Deno.test({
  name: "C 31 @huggingface/hub works with a short credential, and takes no other",
  // It leaves bodies to the collector.
  sanitizeResources: false,
  async fn(t) {
    await using server = await TestServer.start();
    const minting = await mintToken({ userId: 7, privileges: USER_PRIVILEGES, jti: "root" });
    const root = new Client(server.url, minting);
    const reply = await root.send("POST", "/tokens/", {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ privileges: USER_PRIVILEGES, short: true }),
    });
    const { token: accessToken } = v.parse(NewTokenEntry, dataOf(reply));
    const hub = { hubUrl: `${server.origin}/hub`, accessToken };
    const repo = { type: "model", name: "team/npm" } as const;
    const weights = noise(100_000);

    await t.step("a JWT is not for it", async () => {
      await assert.rejects(whoAmI({ ...hub, accessToken: minting }), /hf_/);
    });
    await t.step("C 31 who it is, and a repository", async () => {
      assert.equal((await whoAmI(hub)).name, "user-7");
      await createRepo({ ...hub, repo });
    });
    await t.step("C 31 files are sent, listed, received and deleted", async () => {
      await uploadFiles({
        ...hub,
        repo,
        useXet: false,
        files: [
          { path: "weights.bin", content: new Blob([weights]) },
          { path: "config.json", content: new Blob(["{}"]) },
        ],
      });
      const listed = await Array.fromAsync(listFiles({ ...hub, repo }));
      assert.deepEqual(listed.map(({ path, size }) => [path, size]).sort(), [
        ["config.json", 2],
        ["weights.bin", weights.length],
      ]);
      const received = await downloadFile({ ...hub, repo, path: "weights.bin", xet: false });
      assert.deepEqual(new Uint8Array(await received?.arrayBuffer() ?? []), weights);
      await deleteFile({ ...hub, repo, path: "config.json" });
      assert.equal(await fileExists({ ...hub, repo, path: "config.json" }), false);
      assert.equal(await fileExists({ ...hub, repo, path: "weights.bin" }), true);
    });
  },
});
