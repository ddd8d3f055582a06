import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { blobPath } from "../../storage/content/paths.ts";
import { Connection } from "../../storage/sqlite/connection.ts";
import { pathColumns } from "../../storage/tables/record_rows.ts";
import { blobDirectory, databasePath } from "../../storage/disk/data_directory.ts";
import { Storage } from "../../storage/stores/storage.ts";

/** Files in a directory. */
const DIRECTORY_FILES = 1000;
const BATCH_RECORDS = 20_000;

/** The size of a data directory that {@link fillDirectory} makes. */
export interface LargeDirectory {
  /** How many records, each with a content of its own. */
  readonly records: number;
  /** Every so many contents, one is in a file instead of the database. */
  readonly fileEvery: number;
  /** The size of each content. */
  readonly bytes: number;
}

/** Fills a new data directory with files of user 1 below `big/`, without a server. */
export async function fillDirectory(
  dataDir: string,
  { records, fileEvery, bytes }: LargeDirectory,
): Promise<void> {
  await (await Storage.open(dataDir))[Symbol.asyncDispose]();
  using connection = new Connection(databasePath(dataDir), { readOnly: false });
  addDirectory(connection, "big");
  for (let first = 0; first < records; first += BATCH_RECORDS) {
    connection.script("BEGIN IMMEDIATE");
    for (let index = first; index < Math.min(records, first + BATCH_RECORDS); index++) {
      const directory = `big/${Math.floor(index / DIRECTORY_FILES)}`;
      if (index % DIRECTORY_FILES === 0) addDirectory(connection, directory);
      const content = new TextEncoder().encode(`${index}`.padEnd(bytes));
      addFile(connection, `${directory}/${index}.bin`, content, (hash) => {
        if (index % fileEvery !== 0) return false;
        writeBlob(dataDir, hash, content);
        return true;
      });
    }
    connection.script("COMMIT");
  }
}

function addDirectory(connection: Connection, path: string): void {
  addRecord(connection, { path, hash: "", size: 0, crc: 0, isDir: 1 });
}

function addFile(
  connection: Connection,
  path: string,
  content: Uint8Array<ArrayBuffer>,
  write: (hash: string) => boolean,
): void {
  const hash = createHash("md5").update(content).digest("hex");
  const [size, crc] = [content.length, crc32(content)];
  addRecord(connection, { path, hash, size, crc, isDir: 0 });
  const sha256 = createHash("sha256").update(content).digest();
  connection.run(
    `INSERT INTO contents (hash, size, crc32, sha256, created_at, bytes)
     VALUES (:hash, :size, :crc, :sha256, 0, :bytes)`,
    { hash, size, crc, sha256, bytes: write(hash) ? null : content },
  );
}

interface Row {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly crc: number;
  readonly isDir: 0 | 1;
}

function addRecord(connection: Connection, row: Row): void {
  const { parent, name } = pathColumns(row.path);
  connection.run(
    `INSERT INTO records
       (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
     VALUES (1, :path, :parent, :name, :hash, :size, :crc, :isDir, 0, 0)`,
    { ...row, parent, name },
  );
}

function writeBlob(dataDir: string, hash: string, content: Uint8Array): void {
  const path = `${blobDirectory(dataDir)}/${blobPath(hash)}`;
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true, mode: 0o700 });
  Deno.writeFileSync(path, content, { mode: 0o600 });
}
