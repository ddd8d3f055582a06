import * as assert from "node:assert/strict";
import { stateOf } from "../support/backups.ts";
import { items } from "../support/client.ts";
import { guideTest } from "./guide.ts";

guideTest("docs/guides/backing_up.md", {
  isEmbedded: true,
  async prepare(_reader, server) {
    assert.ok(server !== undefined);
    items(await (await server.as(1)).upload("a", { f: "content", large: "x".repeat(1_048_576) }));
  },
  async verify({ directory, dataDir }) {
    const restored = await stateOf(`${directory}/restored`);
    assert.deepEqual([...restored.keys()], ["1:a", "1:a/f", "1:a/large"]);
    const modes = ["backup", "restored"].map((it) => Deno.statSync(`${directory}/${it}`).mode);
    assert.deepEqual(modes.map((mode) => (mode ?? 0) & 0o777), [0o700, 0o700]);
    for (const it of ["restored", "backup/snapshots/1"].map((it) => `${directory}/${it}`)) {
      assert.equal((Deno.statSync(`${it}/jwt.secret`).mode ?? 0) & 0o777, 0o600);
      assert.equal((Deno.statSync(`${it}/strongroom.db`).mode ?? 0) & 0o777, 0o600);
    }
    assert.equal(
      await Deno.readTextFile(`${directory}/restored/jwt.secret`),
      await Deno.readTextFile(`${dataDir}/jwt.secret`),
    );
  },
});
