import * as assert from "node:assert/strict";
import { HfClient, versionWith } from "../support/hub_clients.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const version = await versionWith("datasets");

Deno.test({
  name: "C 31 datasets pushes a small data set, and loads it",
  ignore: version === undefined,
  async fn() {
    if (version === undefined) return;
    await using directory = await TempDir.make();
    await using server = await TestServer.start();
    const one = await server.as(1);
    const client = new HfClient(version, {
      endpoint: `${server.origin}/hub`,
      token: one.token,
      home: directory.path,
    });
    const rows = { text: ["one", "two", "three"], label: [0, 1, 0] };
    assert.deepEqual(await client.program("push_dataset"), { rows });
    const parquet = (await one.tree()).filter((path) => path.endsWith(".parquet"));
    assert.deepEqual(parquet, ["datasets/team/small/data/train-00000-of-00001.parquet"]);
  },
});
