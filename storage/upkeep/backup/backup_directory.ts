import type { ContentFacts } from "../../../core/ports.ts";
import { emptyTemporary } from "../../content/temporary.ts";
import { makeDirectorySync, orMissing, syncDirectory } from "../../disk/files.ts";
import { lockPatiently } from "../../disk/lock_wait.ts";
import { MANIFEST, type Manifest, NEW_MANIFEST, readManifest, writeManifest } from "./manifest.ts";

/** What a file system may put into its topmost directory. */
export const OF_FILE_SYSTEM = "lost+found";
const FOLDERS = ["contents", "snapshots", "tmp"] as const;
const OWN_NAMES: ReadonlySet<string> = new Set([
  MANIFEST,
  NEW_MANIFEST,
  OF_FILE_SYSTEM,
  ...FOLDERS,
]);
/** The name of a content: its MD5 and CRC-32. Other content may be made to have the same MD5. */
const CONTENT_NAME = /^[0-9a-f]{32}-[0-9a-f]{8}$/;

/**
 * The directory of a backup:
 *
 * - `backup.json`, the manifest. Replacing it makes a new backup valid and the former one obsolete;
 * - `snapshots/N/`, the database and the secret of the snapshot that the manifest names;
 * - `contents/ab/`, the contents of its records. A content never changes under its name;
 * - `tmp/`, what is being written.
 */
export class BackupDirectory implements Disposable {
  readonly #lock: Deno.FsFile;
  #manifest: Manifest | undefined;

  private constructor(readonly path: string, lock: Deno.FsFile, manifest: Manifest | undefined) {
    this.#lock = lock;
    this.#manifest = manifest;
  }

  /**
   * Opens a directory for a backup of `dataDir`. Creates it if only it is missing.
   *
   * @throws {Error} when it cannot be used: it holds something else, overlaps with the data directory
   *   or is in use.
   */
  static async openForBackup(path: string, dataDir: string): Promise<BackupDirectory> {
    try {
      makeDirectorySync(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      throw new Error(`Cannot create "${path}": the directory above it does not exist`);
    }
    return await this.#open(path, { dataDir, exclusive: true });
  }

  /**
   * Opens a directory that has a backup, to restore it into `dataDir`.
   *
   * @throws {Error} when it has no backup, overlaps with the data directory or is in use by a backup.
   */
  static async openForRestore(path: string, dataDir: string): Promise<BackupDirectory> {
    return await this.#open(path, { dataDir, exclusive: false });
  }

  static async #open(
    path: string,
    { dataDir, exclusive }: { readonly dataDir: string; readonly exclusive: boolean },
  ): Promise<BackupDirectory> {
    const info = await orMissing(Deno.stat(path));
    if (info?.isDirectory !== true) throw new Error(`There is no directory "${path}"`);
    await refuseOverlap(path, dataDir);
    using opened = new DisposableStack();
    const lock = opened.use(await Deno.open(path));
    if (!await lockPatiently(lock, exclusive)) {
      throw new Error(`"${path}" is in use by another backup or a restore`);
    }
    const manifest = await readManifest(path);
    await refuseForeign(path, manifest === undefined);
    opened.move();
    return new BackupDirectory(path, lock, manifest);
  }

  /** Undefined if no backup has been written here. */
  get manifest(): Manifest | undefined {
    return this.#manifest;
  }

  /**
   * Makes an empty directory that of a strongroom.
   *
   * @throws {Error} when it is that of another one.
   */
  async adopt(strongroomId: string): Promise<void> {
    if (this.manifest === undefined) {
      await this.setManifest({ strongroom_id: strongroomId, snapshot: null });
    }
    if (this.manifest?.strongroom_id === strongroomId) return;
    throw new Error(`"${this.path}" is the backup of another strongroom`);
  }

  /** Replaces the manifest at once and durably. */
  async setManifest(manifest: Manifest): Promise<void> {
    await writeManifest(this.path, manifest);
    this.#manifest = manifest;
  }

  /** Removes what an interrupted backup has left, and creates missing folders. */
  async prepare(): Promise<void> {
    for (const folder of FOLDERS) makeDirectorySync(`${this.path}/${folder}`);
    // The directory itself stays: a full disk may not have room for a new one yet.
    await emptyTemporary(this.temporary);
    await this.removeOldSnapshots();
    await syncDirectory(this.path);
  }

  /** Removes all snapshots but the one that the manifest names. */
  async removeOldSnapshots(): Promise<void> {
    const current = this.manifest?.snapshot?.number;
    for await (const { name } of Deno.readDir(`${this.path}/snapshots`)) {
      if (name === String(current)) continue;
      await Deno.remove(`${this.path}/snapshots/${name}`, { recursive: true });
    }
  }

  /** The directory for what is being written. */
  get temporary(): string {
    return `${this.path}/tmp`;
  }

  /** The path of a content. */
  contentPath({ hash, crc32 }: Pick<ContentFacts, "hash" | "crc32">): string {
    const name = `${hash}-${crc32.toString(16).padStart(8, "0")}`;
    if (!CONTENT_NAME.test(name)) throw new TypeError(`Not a content: ${JSON.stringify(name)}`);
    return `${this.path}/contents/${name.slice(0, 2)}/${name}`;
  }

  /** The paths of all contents whose hash begins with a prefix of two digits. Skips other files. */
  async contentsBelow(prefix: string): Promise<string[]> {
    const folder = `${this.path}/contents/${prefix}`;
    const entries = await orMissing(Array.fromAsync(Deno.readDir(folder))) ?? [];
    return entries.filter(({ name }) => name.startsWith(prefix) && CONTENT_NAME.test(name))
      .map(({ name }) => `${folder}/${name}`);
  }

  /** The directory of a snapshot. */
  snapshotPath(number: number): string {
    return `${this.path}/snapshots/${number}`;
  }

  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]();
  }
}

/**
 * Refuses directories that contain each other: a backup inside of the data directory would be
 * lost with it.
 */
async function refuseOverlap(path: string, dataDir: string): Promise<void> {
  const [backup, data] = [await Deno.realPath(path), await Deno.realPath(dataDir)];
  const isWithin = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(outer === "/" ? outer : `${outer}/`);
  if (!isWithin(backup, data) && !isWithin(data, backup)) return;
  throw new Error(`The backup "${path}" and the data directory "${dataDir}" overlap`);
}

/** Refuses a directory that is not used for this backup alone, as files in it are removed. */
async function refuseForeign(path: string, isNew: boolean): Promise<void> {
  for await (const { name } of Deno.readDir(path)) {
    if (isNew && ![NEW_MANIFEST, OF_FILE_SYSTEM].includes(name)) {
      throw new Error(
        `"${path}" is neither empty nor a backup: it holds ${JSON.stringify(name)}, ` +
          `and no ${MANIFEST}`,
      );
    }
    if (!OWN_NAMES.has(name)) {
      throw new Error(`"${path}" holds a file that is not of a backup: ${JSON.stringify(name)}`);
    }
  }
}
