import * as assert from "node:assert/strict";
import { S3Client } from "../support/s3_client.ts";
import { objectsOf, textsOf } from "../support/s3_objects.ts";
import { TestServer } from "../support/server.ts";

Deno.test("C 27, 30 the tree of a team is a bucket by its name, below /s3 and at the root", async () => {
  await using server = await TestServer.start();
  const admin = await server.as(1000, "users.admin");
  assert.equal((await admin.json("POST", "/teams/", { name: "vision", number: 9 })).status, 200);
  const client = await S3Client.of(server, {
    trees: { 9: ["resources.view", "resources.upload", "resources.download"] },
  });
  await objectsOf(client, "tree-9").put("a", "content");
  for (const path of ["/s3/tree-vision/a", "/tree-vision/a", "/tree-9/a"]) {
    assert.equal((await client.request({ method: "GET", path })).body, "content", path);
  }
  const buckets = await client.request({ method: "GET", path: "/s3" });
  assert.deepEqual(textsOf(buckets, "Name"), ["own", "tree-vision"]);
});
