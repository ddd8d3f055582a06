import * as assert from "node:assert/strict";
import { stateOf } from "../support/backups.ts";
import { ChildServer, ROOT } from "../support/child_server.ts";
import { items } from "../support/client.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

Deno.test({
  name: "C 22 the commands in docs/backing_up.md back up and restore, and print nothing else",
  ignore: !await hasProgram("bash", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    const dataDir = `${directory.path}/data`;
    await using server = await ChildServer.start({ dataDir });
    items(await (await server.as(1)).upload("a", { f: "content", large: "x".repeat(1_048_576) }));
    const text = await Deno.readTextFile(`${ROOT}docs/backing_up.md`);
    const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
    assert.equal(blocks.length, 2);
    // The task is quiet, as its own line is no part of the output.
    const script = blocks.join("").replaceAll("/srv", directory.path)
      .replaceAll("deno task", `${Deno.execPath()} task -q`);
    const { code, stdout, stderr } = await run("bash", ["-euc", script], {
      cwd: ROOT,
      env: { STRONGROOM_DATA_DIR: dataDir },
    });
    assert.deepEqual([code, stderr], [0, ""]);
    const [backedUp = "", restored = "", ...rest] = stdout.trimEnd().split("\n");
    assert.match(
      backedUp,
      /^Backed up 2 files \(1\.0 MiB\) to ".*": copied the database with 1 file \(7 bytes\), and 1 file \(1\.0 MiB\) besides, removed 0, in [\d.]+ s$/,
    );
    assert.match(restored, /^Restored 2 files \(1\.0 MiB\) of 2.*Z to ".*" in [\d.]+ s$/);
    assert.deepEqual(rest, []);
    assert.deepEqual([...(await stateOf(`${directory.path}/restored`)).keys()], [
      "1:a",
      "1:a/f",
      "1:a/large",
    ]);
    const modes = ["backup", "restored"].map((it) => Deno.statSync(`${directory.path}/${it}`).mode);
    assert.deepEqual(modes.map((mode) => (mode ?? 0) & 0o777), [0o700, 0o700]);
    const secrets = ["restored", "backup/snapshots/1"].map((it) => `${directory.path}/${it}`);
    for (const it of secrets) {
      assert.equal((Deno.statSync(`${it}/jwt.secret`).mode ?? 0) & 0o777, 0o600);
      assert.equal((Deno.statSync(`${it}/strongroom.db`).mode ?? 0) & 0o777, 0o600);
    }
    assert.equal(
      await Deno.readTextFile(`${directory.path}/restored/jwt.secret`),
      await Deno.readTextFile(`${dataDir}/jwt.secret`),
    );
  },
});
