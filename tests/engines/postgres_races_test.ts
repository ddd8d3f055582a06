/** Uploads and removals of the same content at once, with records in PostgreSQL and content in files. */

import * as assert from "node:assert/strict";
import { useDatabase } from "../support/engines.ts";
import { checkInvariants } from "../support/invariants.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const startedPostgres = sharedPostgres();

Deno.test({
  name: "C 5.3 and C 23 content in files that is uploaded while it is removed is there",
  ignore: !Postgres.isInstalled,
  async fn() {
    const engine = startedPostgres();
    await using directory = await TempDir.make();
    const databaseUrl = await engine.createDatabase();
    useDatabase(directory.path, databaseUrl);
    await using server = await TestServer.start({
      dataDir: directory.path,
      settings: { databaseUrl },
    });
    const contents = [noise(70_000, 1), noise(70_000, 2)];
    const statuses = new Set<number>();
    await Promise.all(Array.from({ length: 8 }, async (_, user) => {
      const client = await server.as(user + 1);
      for (let round = 0; round < 25; round++) {
        const content = contents[(round + user) % contents.length] ?? new Uint8Array();
        statuses.add((await client.put("f", content)).status);
        const { status } = await client.file("GET", "f");
        assert.equal(status, 200);
        statuses.add((await client.remove({ path: "f" })).status);
        await server.tree.sweeper.finish();
      }
    }));
    assert.deepEqual([...statuses].sort(), [200, 201]);
    await checkInvariants(server);
  },
});
