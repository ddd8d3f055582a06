/** The rights that the documents name are enough. */

import * as assert from "node:assert/strict";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Database } from "../../storage/postgres/database.ts";
import { blocksOf } from "../docs/blocks.ts";
import { ROOT } from "../support/child_server.ts";
import { Postgres } from "../support/postgres.ts";
import { noise } from "../support/random.ts";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";

Deno.test({
  name: "C 31 a server needs no more of PostgreSQL than the rights that the guide grants",
  ignore: !Postgres.isInstalled,
  async fn() {
    await using engine = await Postgres.start();
    const guide = await Deno.readTextFile(`${ROOT}docs/guides/operating.md`);
    const [grants = ""] = blocksOf(guide).filter(({ language }) => language === "sql")
      .map(({ text }) => text);
    assert.match(grants, /GRANT CONNECT/);
    const admin = await engine.createDatabase();
    {
      await using database = await Database.open(databaseAddress(admin), { connections: 1 });
      await database.use("long", (session) => session.script("CREATE DATABASE strongroom"));
    }
    const url = new URL(admin);
    url.pathname = "/strongroom";
    await using programs = new Deno.Command(`${engine.programs}/psql`, {
      args: ["-v", "ON_ERROR_STOP=1", url.href],
      stdin: "piped",
      stdout: "null",
    }).spawn();
    const writer = programs.stdin.getWriter();
    await writer.write(new TextEncoder().encode(grants));
    await writer.close();
    assert.equal((await programs.status).code, 0);
    url.username = "strongroom";
    await using server = await TestServer.start({ settings: { databaseUrl: url.href } });
    const one = await server.as(1, ...USER_PRIVILEGES, "scans.run", "scans.view");
    assert.equal((await fetch(`${server.origin}/readyz`)).status, 200);
    assert.equal((await one.upload("d", { small: "s", large: noise(100_000) })).status, 200);
    assert.equal((await one.move({ source: "d", destination: "moved" })).status, 200);
    assert.equal((await one.copy({ source: "moved", destination: "copied" })).status, 200);
    const { text } = await one.json("POST", "/scans/?wait=60", { path: "moved" });
    assert.equal(JSON.parse(text).data.status, "completed");
    assert.equal((await one.remove({ path: "moved" })).status, 200);
    assert.equal((await one.download({ path: "copied" })).status, 200);
  },
});
