import * as assert from "node:assert/strict";
import type { ContentRow } from "../../../core/content_changes.ts";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { Connection } from "../../../storage/sqlite/connection.ts";
import {
  bytesOf,
  bytesOfAll,
  putContents,
  removeContents,
  replaceContent,
  sizesOf,
  smallHashes,
} from "../../../storage/sqlite/contents.ts";
import { migrate } from "../../../storage/sqlite/migrate.ts";
import { noise } from "../../support/random.ts";
import { MD5_COLLISION } from "../../support/md5_collision.ts";
import { TempDir } from "../../support/temp_dir.ts";

function rowOf(bytes: Uint8Array<ArrayBuffer>): ContentRow {
  const hash = createHash("md5").update(bytes).digest("hex");
  const sha256 = new Uint8Array(createHash("sha256").update(bytes).digest());
  return { hash, size: bytes.length, crc32: crc32(bytes), sha256, bytes };
}

function database(): Connection {
  const connection = new Connection(":memory:", { readOnly: false });
  migrate(connection);
  return connection;
}

const NOTHING = { inFiles: new Set(), damaged: new Map() };
const md5 = (value: string) => createHash("md5").update(value).digest("hex");
const text = (value: string) => new TextEncoder().encode(value);

Deno.test("C 12 putContents() keeps small content, and only facts of content in a file", () => {
  using connection = database();
  const small = rowOf(text("small"));
  const empty = rowOf(text(""));
  const inFile = { ...rowOf(text("in a file")), bytes: undefined };
  assert.deepEqual(putContents(connection, [small, empty, inFile], 5), NOTHING);
  const hashes = [small, empty, inFile].map(({ hash }) => hash);
  assert.deepEqual(hashes.map((hash) => bytesOf(connection, hash)), [
    small.bytes,
    empty.bytes,
    undefined,
  ]);
  assert.deepEqual(
    bytesOfAll(connection, hashes),
    new Map([[small.hash, small.bytes], [empty.hash, empty.bytes]]),
  );
  assert.deepEqual(sizesOf(connection, hashes), new Map([[small.hash, 5], [empty.hash, 0]]));
  for (const { hash } of [small, empty]) {
    assert.deepEqual(smallHashes(connection, hash.slice(0, 2)), [hash]);
  }
  assert.deepEqual(smallHashes(connection, inFile.hash.slice(0, 2)), []);
  removeContents(connection, hashes.slice(1));
  assert.deepEqual(connection.all("SELECT hash FROM contents").map((it) => it.hash), [small.hash]);
});

Deno.test("C 6 putContents() compares the bytes of content that is stored already", () => {
  using connection = database();
  const [first, second] = MD5_COLLISION;
  const stored = rowOf(first);
  putContents(connection, [stored], 1);
  assert.deepEqual(putContents(connection, [stored], 2), NOTHING);
  const forged = { kind: "ErrResourcesInvalidData" };
  assert.throws(() => putContents(connection, [rowOf(second)], 2), forged);
  // A larger file with the same MD5.
  assert.throws(
    () => putContents(connection, [{ ...stored, size: 100_000, bytes: undefined }], 2),
    forged,
  );
  assert.deepEqual(bytesOf(connection, stored.hash), first);
});

Deno.test("C 5.3 putContents() replaces damaged bytes", () => {
  using connection = database();
  const row = rowOf(text("intact"));
  putContents(connection, [row], 1);
  connection.run("UPDATE contents SET bytes = CAST('intakt' AS BLOB)");
  const found = md5("intakt");
  assert.deepEqual(putContents(connection, [row], 2).damaged, new Map([[row.hash, found]]));
  assert.deepEqual(bytesOf(connection, row.hash), row.bytes);
});

Deno.test("C 12 putContents() names content in files, whose bytes the caller compares", () => {
  using connection = database();
  const row = rowOf(text("in a file"));
  putContents(connection, [{ ...row, bytes: undefined }], 1);
  assert.deepEqual(putContents(connection, [row], 2).inFiles, new Set([row.hash]));
  assert.equal(bytesOf(connection, row.hash), undefined);
  replaceContent(connection, row);
  assert.deepEqual(bytesOf(connection, row.hash), row.bytes);
});

Deno.test("C 12 removeContents() returns space to the file system", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  using connection = new Connection(path, { readOnly: false });
  migrate(connection);
  const rows = Array.from({ length: 600 }, (_, index) => rowOf(noise(60_000, index + 1)));
  putContents(connection, rows, 1);
  const pages = () => Number(connection.get("PRAGMA page_count")?.page_count);
  assert.ok(pages() * 4096 > 36_000_000);
  removeContents(connection, rows.map(({ hash }) => hash));
  // Some free pages stay for later content.
  assert.ok(pages() * 4096 < 20_000_000, String(pages()));
});

Deno.test("C 12 migrate() records the content of existing files", async () => {
  await using directory = await TempDir.make();
  using connection = new Connection(`${directory.path}/test.db`, { readOnly: false });
  migrate(connection);
  const hash = "a".repeat(32);
  connection.script(`
    DROP TRIGGER usage_of_added;
    DROP TRIGGER usage_of_deleted;
    DROP TRIGGER usage_of_changed;
    DROP INDEX records_unnameable;
    DROP TABLE usage;
    DROP TABLE credentials;
    DROP TABLE links;
    DROP TABLE console_sessions;
    DROP TABLE passkeys;
    DROP TABLE invitations;
    DROP TABLE device_logins;
    DROP TABLE mirror_revisions;
    DROP TABLE mirror_names;
    DROP TABLE mirror_entries;
    DROP TRIGGER search_added;
    DROP TRIGGER search_deleted;
    DROP TRIGGER search_changed;
    DROP TABLE facts;
    DROP TABLE tensor_lists;
    DROP TABLE search_marks;
    DROP TABLE search_added;
    DROP TABLE search_terms;
    DROP TABLE directory_facts;
    ALTER TABLE storage_state DROP COLUMN unindexed;
    DROP TABLE people;
    DROP TABLE people_names;
    ALTER TABLE storage_state DROP COLUMN last_number;
    DROP TABLE locks;
    DROP TABLE properties;
    DROP TABLE s3_objects;
    DROP TABLE s3_parts;
    DROP TABLE s3_uploads;
    DROP TABLE user_revocations;
    DROP TABLE upload_parts;
    DROP TABLE parked_contents;
    DROP TABLE uploads;
    DROP TABLE lfs_objects;
    DROP TABLE objects;
    DROP TABLE quarantine;
    ALTER TABLE storage_state DROP COLUMN hub_key;
    ALTER TABLE storage_state DROP COLUMN clock_read_at;
    ALTER TABLE storage_state DROP COLUMN clock_settled_at;
    DROP TABLE content_totals;
    DROP TABLE contents;
    DROP TABLE large_change;
    DROP TABLE former_records;
    DROP VIEW kept_files;
    DROP VIEW fresh_files;
    DROP VIEW former_states;
    DROP TABLE fresh_history;
    DROP TABLE history;
    DROP TABLE tree_versions;
    DROP TABLE tree_changes;
    DROP TABLE tagged_records;
    DROP TABLE tags;
    DROP TABLE hub_commits;
    ALTER TABLE records DROP COLUMN since;
    ALTER TABLE storage_state DROP COLUMN keeps_history;
    DROP TABLE scan_failures;
    ALTER TABLE scan_files DROP COLUMN user_id;
    ALTER TABLE scan_attempts RENAME TO later_attempts;
    CREATE TABLE scan_attempts AS SELECT hash, name, skip, attempts FROM later_attempts;
    DROP TABLE later_attempts;
    DROP TABLE waivers;
    DROP TABLE scan_paths;
    ALTER TABLE scans DROP COLUMN paths_total;
    ALTER TABLE scans DROP COLUMN requested_by;
    PRAGMA user_version = 7;
    INSERT INTO records
      (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
    VALUES (1, 'd', NULL, 'd', '', 0, 0, 1, 1, 1), (1, 'f', NULL, 'f', '${hash}', 3, 4, 0, 9, 9),
      (2, 'g', NULL, 'g', '${hash}', 3, 4, 0, 5, 5);
  `);
  migrate(connection);
  assert.deepEqual(
    connection.all("SELECT hash, size, crc32, created_at, bytes FROM contents").map((it) => ({
      ...it,
    })),
    [{ hash, size: 3, crc32: 4, created_at: 5, bytes: null }],
  );
});
