import * as assert from "node:assert/strict";
import { hubTest } from "../support/hub_clients.ts";

hubTest("C 31 copy_files copies a small file between repositories", async ({ client, server }) => {
  const can = !/^[01]\./.test(client.version.version);
  assert.equal(await client.program("copy_files"), can ? "{}" : null);
  const files = (await (await server.as(1)).tree()).filter((path) => path.endsWith(".json"));
  assert.deepEqual(
    files,
    can ? ["models/team/from/config.json", "models/team/to/copied.json"] : [],
  );
});
