/** The supervisor, while the database is away. */

import * as assert from "node:assert/strict";
import { ChildServer } from "../support/child_server.ts";
import { useDatabase } from "../support/engines.ts";
import { Postgres } from "../support/postgres.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const AWAY = /"msg":"An engine is away; starting the server again"/g;

Deno.test({
  name: "C 23 a server that dies while the database is away serves when it is back",
  ignore: !Postgres.isInstalled,
  async fn() {
    await using engine = await Postgres.start();
    await using directory = await TempDir.make();
    const url = await engine.createDatabase();
    useDatabase(directory.path, url);
    await using child = await ChildServer.start({
      dataDir: directory.path,
      env: { STRONGROOM_DATABASE_URL: url, STRONGROOM_DRAIN: "0" },
    });
    const one = await child.as(1);
    assert.equal((await one.put("a", new TextEncoder().encode("a"))).status, 201);
    const { pid } = child;
    await engine.kill();
    Deno.kill(pid, "SIGKILL");
    await until(() => [...child.log.matchAll(AWAY)].length >= 3);
    await engine.restart();
    await until(() => child.pid !== pid);
    assert.equal((await one.file("GET", "a")).text, "a");
    assert.equal((await child.end("SIGTERM")).code, 0);
  },
});

Deno.test({
  name: "C 23 a server that starts while the database is away serves when it is there",
  ignore: !Postgres.isInstalled,
  async fn() {
    await using engine = await Postgres.start();
    await using directory = await TempDir.make();
    const url = await engine.createDatabase();
    useDatabase(directory.path, url);
    await engine.kill();
    const starting = ChildServer.start({
      dataDir: directory.path,
      env: { STRONGROOM_DATABASE_URL: url, STRONGROOM_DRAIN: "0" },
    });
    {
      // It is told that nothing is there.
      using listener = Deno.listen({ hostname: "127.0.0.1", port: engine.port });
      (await listener.accept()).close();
    }
    await engine.restart();
    await using child = await starting;
    assert.match(child.log, AWAY);
    assert.equal((await child.end("SIGTERM")).code, 0);
  },
});
