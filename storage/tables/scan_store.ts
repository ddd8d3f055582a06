import { Buffer } from "node:buffer";
import type { Chunk } from "../../core/content.ts";
import type {
  AttemptBegin,
  ContentProspect,
  NewScan,
  ResultKey,
  Scan,
  ScanFile,
  ScanPace,
  ScanPage,
  ScanProgress,
  ScanStore,
} from "../../core/scans/ports.ts";
import type { FileResult } from "../../core/scanner/mod.ts";
import type { NamedContent } from "../../core/verdicts.ts";
import { KIB } from "../../schemas/units.ts";
import {
  commit,
  type RunStatement,
  type SqlParameters,
  type SqlRow,
  type Statements,
  withoutNul,
} from "./dialect.ts";
import { columnsOfResult, firstScan, scannedIn, textsOf, toScan } from "./scan_rows.ts";
import { ScanSteps } from "./scan_steps.ts";
import type { ScanStatement } from "./scan_statements.ts";
import { StoredReports, type StoredReportsParts } from "./stored_reports.ts";
import { currentResults } from "./verdict_store.ts";

/** Expired scans are removed in transactions of this many. */
const REMOVED_AT_ONCE = 100;

/** The length of the paths in a page of scans, of which only the last one may be over it. */
const MAX_PAGE_BYTES = 256 * KIB;

export interface ScanStoreParts extends Omit<StoredReportsParts, "steps"> {
  /** The version of the results that count. */
  readonly version: string;
}

/** Keeps scans in the database of the records. */
export class SqlScanStore implements ScanStore, Disposable {
  readonly #parts: ScanStoreParts;
  readonly #statements: Statements<ScanStatement>;
  readonly #steps: ScanSteps;
  readonly #reports: StoredReports;

  constructor(parts: ScanStoreParts) {
    this.#parts = parts;
    this.#statements = parts.statements;
    const steps = this.#steps = new ScanSteps(parts.statements);
    this.#reports = new StoredReports({ ...parts, steps });
  }

  [Symbol.dispose](): void {
    this.#parts.reports[Symbol.dispose]();
  }

  create(scan: NewScan, files: AsyncIterable<readonly ScanFile[]>): Promise<Scan> {
    return this.#steps.create(scan, files);
  }

  async find(id: number): Promise<Scan | undefined> {
    // PostgreSQL refuses to look for ids that no scan can have.
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await this.#read("find", { id });
    return row && toScan(row);
  }

  async paths({ id, paths, pathsTotal }: Scan): Promise<readonly string[]> {
    if (paths.length === pathsTotal) return paths;
    const [row] = await this.#read("allPaths", { id });
    // The scan may be removed meanwhile.
    return row === undefined ? paths : textsOf(row.paths);
  }

  async list(user: number, page: ScanPage): Promise<Scan[]> {
    const { limit, before = Number.MAX_SAFE_INTEGER } = page;
    const rows = await this.#read("list", { user, limit, before, maxBytes: MAX_PAGE_BYTES });
    return rows.map(toScan);
  }

  requeue(): Promise<Scan[]> {
    return this.#statements.write(async (run) => {
      // It may have to forget all results, and what failed is tried once more.
      await run("unhurried", {});
      await run("forgetResults", { version: this.#parts.version });
      await run("forgetFacts", {});
      await run("forgetTensors", {});
      await run("forgetFailures", {});
      await run("forgetOldAttempts", {});
      await run("forgetPartialReports", {});
      await run("forgetIncomplete", {});
      await run("forgetEndedFiles", {});
      await run("requeue", {});
      return (await run("queued", {})).map(toScan);
    });
  }

  async start(id: number, now: number): Promise<void> {
    await this.#commit("start", { id, now });
  }

  async *files(id: number): AsyncGenerator<readonly ScanFile[]> {
    for (let after = "";;) {
      const page = (await this.#read("files", { id, after })).map((row) => ({
        userId: Number(row.user_id),
        path: String(row.path),
        name: String(row.name),
        hash: String(row.hash),
        size: Number(row.size),
      }));
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = last.path;
    }
  }

  async hasResult(key: ResultKey): Promise<boolean> {
    return (await this.#read("hasResult", this.#keyOf(key))).length > 0;
  }

  async prospectOf(key: ResultKey): Promise<ContentProspect> {
    const [row] = await this.#read("prospect", this.#keyOf(key));
    const sha256 = row?.stored_sha256;
    return {
      isHeld: row !== undefined,
      sha256: typeof sha256 === "string" && sha256 !== "" ? sha256 : undefined,
      former: row && scannedIn(row),
    };
  }

  async beginAttempt(key: ResultKey, max: number): Promise<AttemptBegin> {
    const attempt = attemptOf(key);
    return await this.#statements.write(async (run) => {
      const [begun, kept, exhausted] = await Promise.all([
        run("beginAttempt", { ...attempt, max }),
        // The attempt of another server may have ended just before this one.
        run("hasOwnResult", this.#keyOf(key)),
        run("isExhausted", { ...attempt, max }),
      ]);
      if (begun.length === 0) return exhausted.length > 0 ? "exhausted" : "elsewhere";
      if (kept.length === 0) return "begun";
      await run("endAttempt", attempt);
      return "elsewhere";
    });
  }

  async endAttempt(key: ResultKey): Promise<void> {
    await this.#commit("endAttempt", attemptOf(key));
  }

  async withdrawAttempt(key: ResultKey): Promise<void> {
    await this.#commit("withdrawAttempt", attemptOf(key));
  }

  keepResult(
    id: number,
    path: string,
    key: ResultKey,
    result: FileResult,
    pace?: ScanPace,
  ): Promise<boolean> {
    return this.#keep("keepResult", { id, path }, key, { result, pace });
  }

  keepContentResult(key: ResultKey, result: FileResult, pace?: ScanPace): Promise<boolean> {
    return this.#keep("keepContentResult", {}, key, { result, pace });
  }

  async failContent({ userId, hash, name }: NamedContent, problem: string): Promise<boolean> {
    const parameters = {
      ...{ user: userId, hash, name },
      problem: withoutNul(problem),
      now: Date.now(),
    };
    return (await this.#commit("failContent", parameters)).length > 0;
  }

  async failFile(id: number, path: string, error: string): Promise<boolean> {
    return (await this.#commit("failFile", { id, path, error: withoutNul(error) })).length > 0;
  }

  async complete(id: number, now: number, signal: AbortSignal): Promise<Scan> {
    const { skip, startedAt } = firstScan(await this.#read("find", { id }));
    const { database, version } = this.#parts;
    const scan = { database, id, skip, version, startedAt: startedAt ?? now, finishedAt: now };
    return await this.#reports.make(scan, signal);
  }

  end(
    { id, filesScanned: files, bytesScanned: bytes }: ScanProgress,
    status: "failed" | "cancelled",
    now: number,
    error: string | null = null,
  ): Promise<Scan> {
    return this.#steps.end("end", {
      id,
      status,
      now,
      error: error === null ? null : withoutNul(error),
      files,
      bytes,
    });
  }

  report(id: number): Promise<AsyncIterable<Chunk> | undefined> {
    return this.#reports.read(id);
  }

  sarif(id: number, version: string): Promise<AsyncIterable<Chunk> | undefined> {
    return this.#reports.readSarif(id, version);
  }

  async remove(id: number): Promise<void> {
    await this.#commit("remove", { id });
  }

  async removeEnded(before: number): Promise<number> {
    const limit = REMOVED_AT_ONCE;
    let removed = 0;
    // A transaction that removes nothing would still take room on a full disk.
    while ((await this.#statements.find("hasEnded", { before })).length > 0) {
      removed += (await this.#commit("removeEnded", { before, limit })).length;
    }
    return removed;
  }

  #keyOf(key: ResultKey) {
    return { ...attemptOf(key), version: this.#parts.version };
  }

  /** Keeps a result on a condition, with its facts, and ends the attempt. */
  #keep(
    statement: "keepResult" | "keepContentResult",
    condition: SqlParameters,
    key: ResultKey,
    { result, pace }: { readonly result: FileResult; readonly pace: ScanPace | undefined },
  ): Promise<boolean> {
    const columns = columnsOfResult(result, pace);
    const keys = this.#keyOf(key);
    // What some of the scanners say is not all there is to say.
    const isWhole = keys.skip === currentResults(keys.version).skip;
    return this.#statements.write(async (run) => {
      const [kept] = await Promise.all([
        run(statement, { ...condition, ...columns, ...keys }),
        run("endAttempt", attemptOf(key)),
      ]);
      if (kept.length === 0) return false;
      if (isWhole) await this.#keepFacts(run, key, result);
      return true;
    });
  }

  #keepFacts(run: RunStatement<ScanStatement>, key: ResultKey, { facts, hashes }: FileResult) {
    const { userId: user, hash, name } = key;
    const { sha256 } = hashes;
    if (facts === undefined || sha256 == null) return run("dropFacts", { user, hash, name });
    return run("keepFacts", {
      ...this.#keyOf(key),
      sha256: Buffer.from(sha256, "hex"),
      facts: JSON.stringify(facts),
    });
  }

  #commit(statement: ScanStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return commit(this.#statements, statement, parameters);
  }

  #read(statement: ScanStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#statements.read(statement, parameters);
  }
}

function attemptOf({ userId, hash, name, skip }: ResultKey) {
  return { user: userId, hash, name, skip: JSON.stringify(skip) };
}
