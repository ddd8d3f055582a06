import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { runBackup } from "../support/backups.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const DIRECTORIES = 30;
const FILES_EACH = 1000;
const CONTENTS = 2000;
/** The heap of the process, a few MB more than the program needs to start. */
const HEAP_MB = 20;

/** Adds 30 000 files to a data directory that no server uses. */
async function addFiles(dataDir: string): Promise<void> {
  const contents = Array.from({ length: CONTENTS }, (_, it) => {
    const bytes = new TextEncoder().encode(`content ${it}`);
    const hash = createHash("md5").update(bytes).digest("hex");
    return { bytes, hash, fan: `${dataDir}/blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}` };
  });
  for (const { bytes, hash, fan } of contents) {
    await Deno.mkdir(fan, { recursive: true });
    await Deno.writeFile(`${fan}/${hash}`, bytes);
  }
  using database = new DatabaseSync(`${dataDir}/strongroom.db`);
  const insert = database.prepare(
    `INSERT INTO records
       (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
     VALUES (1, ?, ?, ?, ?, ?, ?, ?, 0, 0)`,
  );
  database.exec("BEGIN");
  for (let directory = 0; directory < DIRECTORIES; directory++) {
    insert.run(`d${directory}`, null, `d${directory}`, "", 0, 0, 1);
    for (let file = 0; file < FILES_EACH; file++) {
      const { bytes, hash } = contents[(directory * FILES_EACH + file) % CONTENTS] ?? contents[0]!;
      const path = `d${directory}/f${file}`;
      insert.run(path, `d${directory}`, `f${file}`, hash, bytes.length, crc32(bytes), 0);
    }
  }
  database.exec("COMMIT");
}

Deno.test("C 22 a backup and a restore of 30 000 files need little memory", async () => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  await (await TestServer.start({ dataDir }))[Symbol.asyncDispose]();
  await addFiles(dataDir);
  const backup = `${directory.path}/backup`;
  const env = { DENO_V8_FLAGS: `--max-old-space-size=${HEAP_MB}` };
  const args = ["--json"];
  const backedUp = await runBackup({ command: "backup", dataDir, backup, args, env });
  assert.deepEqual([backedUp.code, backedUp.stderr], [0, ""]);
  const { records, files } = JSON.parse(backedUp.stdout).snapshot;
  assert.deepEqual([records, files], [DIRECTORIES * (FILES_EACH + 1), CONTENTS]);
  const target = `${directory.path}/restored`;
  const restored = await runBackup({ command: "restore", dataDir: target, backup, env });
  assert.deepEqual([restored.code, restored.stderr], [0, ""]);
});
