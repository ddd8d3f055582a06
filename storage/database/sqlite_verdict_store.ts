import { Buffer } from "node:buffer";
import { OPTIONAL_SCANNER_IDS, SCANNERS_VERSION } from "../../core/scanner/mod.ts";
import type {
  ContentVerdict,
  JudgedRecord,
  NamedContent,
  UnscannedPage,
  VerdictStore,
  Waiver,
  WaiverPage,
} from "../../core/verdicts.ts";
import type { Remote } from "../threads/rpc.ts";
import type { SqlParameters, SqlRow } from "./connection.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { PointReader } from "./point_reader.ts";
import type { Reader } from "./reader.ts";
import {
  type CurrentResults,
  findingsOf,
  verdictOf,
  type VerdictStatement,
} from "./verdict_statements.ts";
import type { Writer } from "./writer.ts";

export interface VerdictStoreParts {
  readonly writer: Remote<Writer>;
  readonly reader: Remote<Reader>;
  readonly points: PointReader;
  readonly commits: GroupCommit;
  readonly results: CurrentResults;
}

/** The results that count for verdicts: those of all scanners but the optional ones. */
export function currentResults(version: string): CurrentResults {
  return { skip: JSON.stringify(OPTIONAL_SCANNER_IDS.toSorted()), version };
}

/** Keeps verdicts and waivers in the SQLite file of the records. */
export class SqliteVerdictStore implements VerdictStore {
  readonly #parts: VerdictStoreParts;

  constructor(parts: VerdictStoreParts) {
    this.#parts = parts;
  }

  async verdictsOf(contents: readonly NamedContent[]): Promise<ContentVerdict[]> {
    const { points, results } = this.#parts;
    const named = contents.map(({ hash, name }) => ({ hash, name }));
    const parameters = {
      contents: JSON.stringify(named),
      ...results,
      now: Date.now(),
    };
    const rows = points.verdictRows(contents.length, parameters) ??
      await this.#read("verdicts", parameters);
    return rows.map(toVerdict);
  }

  async recordsOf({ hash, name }: NamedContent, after: number): Promise<JudgedRecord[]> {
    const rows = await this.#read("records", { hash, name, after });
    return rows.map(({ id, user_id, path }) => ({
      id: Number(id),
      userId: Number(user_id),
      path: String(path),
    }));
  }

  async unscannedAfter(after: number): Promise<UnscannedPage> {
    const [step] = await this.#read("lastOfStep", { after });
    if (typeof step?.id !== "number") return { contents: [], lastId: undefined };
    const last = step.id;
    const { results } = this.#parts;
    const rows = await this.#read("unscanned", { after, last, ...results });
    const contents = rows.map(({ hash, name, size, user_id }) => ({
      hash: String(hash),
      name: String(name),
      size: Number(size),
      userId: Number(user_id),
    }));
    return { contents, lastId: last };
  }

  async addWaiver(waiver: Omit<Waiver, "id">): Promise<Waiver> {
    const { sha256, reason, userId: user, createdAt: now, expiresAt: expiry } = waiver;
    const parameters = { sha256: Buffer.from(sha256, "hex"), reason, user, now, expiry };
    const [added] = (await this.#commit("addWaiver", parameters)).map(toWaiver);
    if (added === undefined) throw new Error("The waiver was not added");
    return added;
  }

  async listWaivers({ limit, before }: WaiverPage): Promise<Waiver[]> {
    const rows = await this.#read("listWaivers", {
      limit,
      before: before ?? Number.MAX_SAFE_INTEGER,
    });
    return rows.map(toWaiver);
  }

  async removeWaiver(id: number): Promise<Waiver | undefined> {
    return (await this.#commit("removeWaiver", { id })).map(toWaiver)[0];
  }

  #commit(statement: VerdictStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#parts.commits.run(() => this.#parts.writer.verdictRows(statement, parameters));
  }

  #read(statement: VerdictStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#parts.reader.verdictRows(statement, parameters);
  }
}

function toVerdict(row: SqlRow): ContentVerdict {
  const verdict = verdictOf(row.verdict);
  const isScanned = row.scanned_at !== null;
  const isFailed = verdict === "failed";
  return {
    verdict,
    findings: findingsOf(row.findings),
    problem: isFailed ? String(row.problem) : null,
    scannerVersion: isScanned ? SCANNERS_VERSION : null,
    scannedAt: isFailed ? Number(row.failed_at) : numberOrNull(row.scanned_at),
    waiver: row.waiver_id === null ? null : toWaiver(row),
    sha256: hexOf(row.sha256),
    storedAt: numberOrNull(row.stored_at),
  };
}

function toWaiver(row: SqlRow): Waiver {
  return {
    id: Number(row.waiver_id),
    sha256: hexOf(row.waived) ?? "",
    reason: String(row.reason),
    userId: Number(row.waiver_user),
    createdAt: Number(row.waived_at),
    expiresAt: numberOrNull(row.expires_at),
  };
}

function numberOrNull(value: SqlRow[string] | undefined): number | null {
  return value === null ? null : Number(value);
}

function hexOf(value: SqlRow[string] | undefined): string | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : null;
}
