import * as assert from "node:assert/strict";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { ChildServer } from "../support/child_server.ts";
import { Client, items } from "../support/client.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { seededRandom } from "../support/random.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const startedPostgres = sharedPostgres();

const ROUNDS = 6;

/** Changes the tree until the server dies. Tells of each file that it leaves there. */
async function changeUntilDeath(
  client: Client,
  name: string,
  onKept: () => void,
): Promise<void> {
  try {
    for (let index = 0;; index++) {
      const path = `${name}-${index}`;
      await client.upload("", { [path]: path });
      if (index % 3 === 0) await client.remove({ path });
      else onKept();
    }
  } catch (error) {
    // The connection is gone.
    if (!(error instanceof TypeError)) throw error;
  }
}

Deno.test({
  name:
    "C 11 and C 23 a server that is killed loses no event of a change, and keeps none without one",
  ignore: !Postgres.isInstalled,
}, async () => {
  const engine = startedPostgres();
  await using directory = await TempDir.make();
  const env = { STRONGROOM_DATABASE_URL: await engine.createDatabase() };
  const random = seededRandom(11);
  let token = "";
  let start: string | undefined;
  /** What a client knows that has read the events only. */
  const known = new Set<string>();
  for (let round = 0; round <= ROUNDS; round++) {
    await using child = await ChildServer.start({ dataDir: directory.path, env });
    if (token === "") token = (await child.as(1)).token;
    const client = new Client(child.origin + BASE_PATH, token);
    const listed = items(await client.list({ limit: "1000" })).map(({ path }) => path);
    {
      await using events = await client.events({ last_event_id: start });
      await client.mkdir(`start-${round}`);
      for (let last = ""; last !== `added start-${round}`;) {
        last = (await events.take(1))[0] ?? "";
        assert.notEqual(last, "", "The stream has ended");
        const [type, path = ""] = last.split(" ");
        assert.equal(known.has(path), type === "deleted", last);
        if (type === "deleted") known.delete(path);
        else known.add(path);
      }
      start = events.lastId;
    }
    assert.deepEqual([...known].sort(), [...listed, `start-${round}`].sort());
    if (round === ROUNDS) break;
    let kept = 0;
    const working = [1, 2, 3].map((worker) =>
      changeUntilDeath(client, `${round}-${worker}`, () => kept++)
    );
    await until(() => kept >= 3);
    await new Promise((resolve) => setTimeout(resolve, 100 + random(300)));
    await child.end("SIGKILL");
    await Promise.all(working);
  }
  assert.ok(known.size > ROUNDS + 10, `${known.size} records`);
});
