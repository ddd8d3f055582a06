import { Buffer } from "node:buffer";
import * as v from "valibot";
import { OPTIONAL_SCANNER_IDS, SCANNERS_VERSION } from "../../core/scanner/mod.ts";
import type {
  ContentVerdict,
  JudgedRecord,
  KnownFacts,
  NamedContent,
  UnscannedPage,
  VerdictsOfDay,
  VerdictStore,
  Waiver,
  WaiverPage,
} from "../../core/verdicts.ts";
import { Facts } from "../../schemas/facts.ts";
import { commit, numberOrNull, type SqlRow, type Statements, withoutNul } from "./dialect.ts";
import {
  type CurrentResults,
  DAY_MS,
  findingsOf,
  scannedVerdictOf,
  verdictOf,
  type VerdictStatement,
} from "./verdict_statements.ts";

/** Verdicts on this many contents are found in a moment. */
const MAX_FOUND = 32;

/** The results that count for verdicts: those of all scanners but the optional ones. */
export function currentResults(version: string): CurrentResults {
  return { skip: JSON.stringify(OPTIONAL_SCANNER_IDS.toSorted()), version };
}

/** Keeps verdicts and waivers in the database of the records. */
export class SqlVerdictStore implements VerdictStore {
  readonly #statements: Statements<VerdictStatement>;
  readonly #results: CurrentResults;

  constructor(statements: Statements<VerdictStatement>, results: CurrentResults) {
    this.#statements = statements;
    this.#results = results;
  }

  async verdictsOf(contents: readonly NamedContent[]): Promise<ContentVerdict[]> {
    const parameters = {
      contents: namedContents(contents),
      ...this.#results,
      now: Date.now(),
    };
    const { find, read } = this.#statements;
    const rows = await (contents.length > MAX_FOUND ? read : find)("verdicts", parameters);
    return rows.map(toVerdict);
  }

  async factsOf(contents: readonly NamedContent[]): Promise<KnownFacts[]> {
    const { skip } = this.#results;
    const { find, read } = this.#statements;
    const rows = await (contents.length > MAX_FOUND ? read : find)("facts", {
      contents: namedContents(contents),
      skip,
    });
    return rows.map(({ facts, is_read: isRead }) => ({
      facts: typeof facts === "string" ? v.parse(Facts, JSON.parse(facts)) : {},
      isRead: Boolean(isRead),
    }));
  }

  async isUnscanned(content: NamedContent): Promise<boolean> {
    const parameters = { contents: namedContents([content]), ...this.#results };
    return (await this.#statements.find("isUnscanned", parameters)).length > 0;
  }

  async recordsOf({ userId, hash, name }: NamedContent, after: number): Promise<JudgedRecord[]> {
    const rows = await this.#statements.read("records", { user: userId, hash, name, after });
    return rows.map(({ id, user_id, path }) => ({
      id: Number(id),
      userId: Number(user_id),
      path: String(path),
    }));
  }

  async recordsWith(
    sha256: string,
    after?: Pick<JudgedRecord, "userId" | "id">,
  ): Promise<(JudgedRecord & NamedContent)[]> {
    const parameters = {
      sha256: Buffer.from(sha256, "hex"),
      user: after?.userId ?? -1,
      after: after?.id ?? 0,
    };
    const rows = await this.#statements.read("recordsWith", parameters);
    return rows.map(({ id, user_id, path, hash, name }) => ({
      id: Number(id),
      userId: Number(user_id),
      path: String(path),
      hash: String(hash),
      name: String(name),
    }));
  }

  async expiredBetween(after: number, until: number): Promise<string[]> {
    const rows = await this.#statements.read("expiredBetween", { after, until });
    return rows.map(({ sha256 }) => hexOf(sha256) ?? "");
  }

  async daysOf(user: number, since: number): Promise<VerdictsOfDay[]> {
    const { skip } = this.#results;
    const rows = await this.#statements.read("days", { user, since, skip });
    return rows.map(({ day, verdict, files }) => ({
      day: Number(day) * DAY_MS,
      verdict: scannedVerdictOf(verdict),
      files: Number(files),
    }));
  }

  async unscannedAfter(after: number): Promise<UnscannedPage> {
    const [step] = await this.#statements.read("lastOfStep", { after });
    const last = numberOrNull(step?.id);
    if (last === null) return { contents: [], lastId: undefined };
    const rows = await this.#statements.read("unscanned", { after, last, ...this.#results });
    const contents = rows.map(({ hash, name, size, user_id }) => ({
      hash: String(hash),
      name: String(name),
      size: Number(size),
      userId: Number(user_id),
    }));
    return { contents, lastId: last };
  }

  async addWaiver(waiver: Omit<Waiver, "id">): Promise<Waiver> {
    const { sha256, userId: user, createdAt: now, expiresAt: expiry } = waiver;
    const reason = withoutNul(waiver.reason);
    const parameters = { sha256: Buffer.from(sha256, "hex"), reason, user, now, expiry };
    const [added] = (await commit(this.#statements, "addWaiver", parameters)).map(toWaiver);
    if (added === undefined) throw new Error("The waiver was not added");
    return added;
  }

  async listWaivers({ limit, before }: WaiverPage): Promise<Waiver[]> {
    const rows = await this.#statements.read("listWaivers", {
      limit,
      before: before ?? Number.MAX_SAFE_INTEGER,
    });
    return rows.map(toWaiver);
  }

  async removeWaiver(id: number): Promise<Waiver | undefined> {
    // PostgreSQL refuses to look for ids that no waiver can have.
    if (!Number.isSafeInteger(id)) return undefined;
    return (await commit(this.#statements, "removeWaiver", { id })).map(toWaiver)[0];
  }
}

/** Contents as the statements take them. */
function namedContents(contents: readonly NamedContent[]): string {
  return JSON.stringify(
    contents.map(({ userId, hash, name }) => ({ user_id: userId, hash, name })),
  );
}

function toVerdict(row: SqlRow): ContentVerdict {
  const verdict = verdictOf(row.verdict);
  const isScanned = row.scanned_at !== null;
  const isFailed = verdict === "failed";
  return {
    verdict,
    format: row.format === null ? null : String(row.format),
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

function hexOf(value: SqlRow[string] | undefined): string | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : null;
}
