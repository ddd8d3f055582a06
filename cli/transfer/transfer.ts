import { FileComparison, type ListedFile, type Side } from "../../storage/disk/file_comparison.ts";
import type { Connection, ConnectionOptions } from "../remote/connection.ts";
import type { MaxDelete, OnConflict, TransferOptions } from "./arguments.ts";
import { concurrently } from "./concurrently.ts";
import { download } from "./download.ts";
import { below, type ListOptions, locate, type Sources } from "./file_sets.ts";
import { sha256Of } from "./local_content.ts";
import { listLocalSource, listLocalTarget } from "./local_list.ts";
import { LocalTarget } from "./local_target.ts";
import { Meter } from "./meter.ts";
import { Outcome } from "./outcome.ts";
import { listRemote } from "./remote_list.ts";
import { deleteRemote, makeRemoteDirectories, type RemoteDirectory } from "./remote_changes.ts";
import { Throttle } from "../../core/throttle.ts";
import { UsageError } from "../usage_error.ts";
import { upload } from "./upload.ts";

/** What is copied to where, and how. */
export interface Transfer extends Omit<TransferOptions, keyof ConnectionOptions> {
  /** Whether files are sent to the server. */
  readonly isUpload: boolean;
  readonly sources: Sources;
  /** The directory that is copied to. */
  readonly destination: string;
  readonly onConflict: OnConflict;
  /** Whether what the source lacks is deleted. @default false */
  readonly deletes?: boolean;
  /** Whether an empty source deletes all that the target has. @default false */
  readonly allowsEmpty?: boolean;
  /** Nothing is done if more would be deleted. @default all may be */
  readonly maxDelete?: MaxDelete | undefined;
}

/** How many files are hashed at once: as many as keep the disk busy. */
const HASHED_AT_ONCE = 2;
/** How many conflicts are named. */
const MAX_NAMED = 10;

/**
 * Copies files between this machine and a server. Content that the other side has is not sent.
 * See docs/design/transfers.md.
 */
export async function transfer(connection: Connection, options: Transfer): Promise<number> {
  using comparison = new FileComparison();
  const run = new TransferRun(options, connection, comparison);
  return await run.run();
}

class TransferRun {
  readonly #options: Transfer;
  readonly #connection: Connection;
  readonly #comparison: FileComparison;
  readonly #outcome: Outcome;
  readonly #target: LocalTarget;
  readonly #throttle: Throttle;

  constructor(options: Transfer, connection: Connection, comparison: FileComparison) {
    this.#options = options;
    this.#connection = connection;
    this.#comparison = comparison;
    this.#outcome = new Outcome(options);
    this.#target = new LocalTarget(options.destination);
    this.#throttle = new Throttle(options.maxRate);
  }

  async run(): Promise<number> {
    const { isUpload, dryRun, onConflict, deletes = false } = this.#options;
    await this.#list();
    this.#refuseEmptySource();
    this.#refuseManyDeletions();
    await this.#compare();
    this.#outcome.equal = this.#comparison.totals("equal");
    if (!deletes) this.#refuseOtherKinds();
    if (onConflict === "error" && this.#refuseConflicts()) return 1;
    if (onConflict === "skip") this.#outcome.kept = this.#comparison.totals("changed");
    if (dryRun) this.#printPlan();
    else await this.#carryOut();
    return this.#outcome.print(isUpload ? "send" : "receive", dryRun);
  }

  async #list(): Promise<void> {
    const { isUpload, sources, destination } = this.#options;
    for (const [name, path] of sources) {
      const place = isUpload ? below(destination, name) : this.#target.pathOf(name);
      if (isUpload) {
        await listLocalSource(name, path, this.#listing("source"));
        await listRemote(this.#connection, name, place, this.#listing("target"));
      } else {
        const exists = await listRemote(this.#connection, name, path, this.#listing("source"));
        if (!exists) {
          this.#outcome.fail(path, new Error("The server has no such file or directory"));
        }
        await listLocalTarget(name, place, this.#listing("target"));
      }
    }
  }

  #listing(side: Side): ListOptions {
    const { selection } = this.#options;
    return { comparison: this.#comparison, side, selection, fail: this.#outcome.fail };
  }

  /** A disk that is not mounted looks like an empty directory. */
  #refuseEmptySource(): void {
    const { deletes = false, allowsEmpty = false } = this.#options;
    if (!deletes || allowsEmpty || !this.#comparison.isEmpty("source")) return;
    if (this.#comparison.isEmpty("target")) return;
    throw new UsageError(
      "The source is empty or cannot be listed, and --delete would delete all of the target: " +
        "--allow-empty permits that",
    );
  }

  #refuseManyDeletions(): void {
    const { deletes = false, maxDelete } = this.#options;
    if (!deletes || maxDelete === undefined) return;
    const { surplus, all } = this.#comparison.countTarget();
    const { count, isPercentage } = maxDelete;
    if (surplus <= (isPercentage ? all * count / 100 : count)) return;
    throw new UsageError(
      `--delete would delete ${surplus} of ${all} entries of the target, and --max-delete permits ` +
        `${count}${isPercentage ? "%" : ""}: nothing was done`,
    );
  }

  /** Hashes files of this machine where the other side has one of the same size. */
  async #compare(): Promise<void> {
    const { isUpload } = this.#options;
    using meter = this.#meter(this.#comparison.totals("uncompared"), "Comparing");
    const side = isUpload ? "source" : "target";
    await concurrently(
      this.#comparison.differences("uncompared"),
      HASHED_AT_ONCE,
      async ({ path }) => {
        const place = isUpload ? this.#locate(path) : this.#target.pathOf(path);
        try {
          this.#comparison.setSha256(
            side,
            path,
            await sha256Of(place, (bytes) => meter.add(bytes)),
          );
        } catch (error) {
          // What cannot be read is replaced where files are received.
          if (!isUpload) return;
          this.#outcome.fail(path, error);
          this.#comparison.remove(side, path);
        }
        meter.finish();
      },
    );
  }

  /** Files where the other side has a directory, and directories where it has a file. */
  #refuseOtherKinds(): void {
    for (const { path, isDirectory } of this.#comparison.differences("otherKind")) {
      this.#outcome.fail(
        path,
        new Error(isDirectory ? "A file is in the place" : "A directory is in the place"),
      );
    }
  }

  /** Whether there are conflicts. Some of them are printed, and then nothing is copied. */
  #refuseConflicts(): boolean {
    const { files } = this.#comparison.totals("changed");
    let named = 0;
    for (const { path } of this.#comparison.differences("changed")) {
      this.#outcome.fail(path, new Error("It is there with other content"));
      if (++named === MAX_NAMED) break;
    }
    if (files === 0) return false;
    const more = files > named ? `, and ${files - named} more` : "";
    this.#outcome.fail(
      this.#options.destination,
      new Error(
        `${named} files are there with other content${more}; nothing was copied. --on-conflict replace ` +
          "replaces them, and --on-conflict skip keeps them",
      ),
    );
    return true;
  }

  #printPlan(): void {
    const { deletes, onConflict } = this.#options;
    for (const file of this.#comparison.differences("missing")) this.#plan("add", file);
    if (onConflict === "replace") {
      for (const file of this.#comparison.differences("changed")) this.#plan("replace", file);
    }
    if (!deletes) return;
    for (const { path } of this.#comparison.surplus()) {
      this.#outcome.plan("delete", path);
      this.#outcome.deleted++;
    }
  }

  #plan(action: "add" | "replace", { path, size }: ListedFile): void {
    this.#outcome.plan(action, path, Math.max(0, size));
    this.#outcome.countTransferred(1, Math.max(0, size));
  }

  async #carryOut(): Promise<void> {
    const { deletes = false, onConflict } = this.#options;
    if (deletes) await this.#delete();
    await this.#makeDirectories();
    const missing = this.#comparison.totals("missing");
    const changed = this.#comparison.totals("changed");
    const replaces = onConflict === "replace";
    using meter = this.#meter({
      files: missing.files + (replaces ? changed.files : 0),
      bytes: missing.bytes + (replaces ? changed.bytes : 0),
    }, this.#options.isUpload ? "Sending" : "Receiving");
    await this.#copy(this.#comparison.differences("missing"), false, meter);
    if (replaces) await this.#copy(this.#comparison.differences("changed"), true, meter);
  }

  async #copy(files: Iterable<ListedFile>, replaces: boolean, meter: Meter): Promise<void> {
    const common = {
      connection: this.#connection,
      locate: (path: string) => this.#locate(path),
      outcome: this.#outcome,
      meter,
      throttle: this.#throttle,
    };
    const { isUpload, destination } = this.#options;
    if (isUpload) await upload(files, replaces, { ...common, destination });
    else await download(files, replaces, { ...common, target: this.#target });
  }

  /** Makes the directories that files do not bring along. */
  async #makeDirectories(): Promise<void> {
    const missing = this.#comparison.differences("missingDirectories");
    if (this.#options.isUpload) return await makeRemoteDirectories(missing, this.#remote);
    const isNothing = this.#outcome.failed > 0 && this.#comparison.isEmpty("source");
    if (!isNothing) await this.#target.makeDirectory("");
    for (const { path } of missing) {
      try {
        await this.#target.makeDirectory(path);
      } catch (error) {
        this.#outcome.fail(path, error);
      }
    }
  }

  /** Deletes what the source lacks. It is not known to lack what could not be listed. */
  async #delete(): Promise<void> {
    if (this.#outcome.failed > 0) {
      return this.#outcome.fail(
        this.#options.destination,
        new Error("Nothing is deleted, as not all files could be listed"),
      );
    }
    const surplus = this.#comparison.surplus();
    if (this.#options.isUpload) await deleteRemote(this.#deletable(surplus), this.#remote);
    else await this.#deleteLocal(surplus);
    this.#comparison.removeSurplus();
  }

  /** The server deletes a directory with all that is in it, even what is left out here. */
  *#deletable(surplus: Iterable<ListedFile>): Generator<ListedFile> {
    for (const entry of surplus) {
      if (!entry.isDirectory || !this.#options.selection.isPartial) yield entry;
    }
  }

  async #deleteLocal(surplus: Iterable<ListedFile>): Promise<void> {
    for (const { path } of surplus) {
      try {
        if (await this.#target.remove(path)) this.#outcome.deleted++;
      } catch (error) {
        this.#outcome.fail(path, error);
      }
    }
    await this.#target.sync();
  }

  get #remote(): RemoteDirectory {
    const { destination } = this.#options;
    return { connection: this.#connection, destination, outcome: this.#outcome };
  }

  #locate(path: string): string {
    return locate(this.#options.sources, path);
  }

  #meter(...[total, label]: ConstructorParameters<typeof Meter>): Meter {
    const meter = new Meter(total, label);
    this.#outcome.beforePrint = () => meter.clear();
    return meter;
  }
}
