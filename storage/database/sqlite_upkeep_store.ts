import type { ContentFacts } from "../../core/ports.ts";
import type { ContentGap, FileName, ScrubProgress, UpkeepStore } from "../../core/upkeep/ports.ts";
import type { Remote } from "../threads/rpc.ts";
import type { SqlParameters, SqlRow } from "./connection.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { Reader } from "./reader.ts";
import { toFacts, type UpkeepStatement } from "./upkeep_statements.ts";
import type { Writer } from "./writer.ts";

export interface UpkeepStoreParts {
  readonly writer: Remote<Writer>;
  readonly reader: Remote<Reader>;
  readonly commits: GroupCommit;
}

/** Compares the records with stored content, and remembers what it found. */
export class SqliteUpkeepStore implements UpkeepStore {
  readonly #parts: UpkeepStoreParts;

  constructor(parts: UpkeepStoreParts) {
    this.#parts = parts;
  }

  async findGap(prefix: string, hashes: readonly string[]): Promise<ContentGap> {
    const gap = toGap(await this.#read("gap", { prefix, hashes: JSON.stringify(hashes) }));
    const rows = await this.#read("unreferencedFiles", { prefix });
    const unreferenced = new Set([...gap.unreferenced, ...rows.map(({ hash }) => String(hash))]);
    return { missing: gap.missing, unreferenced: [...unreferenced] };
  }

  async unreferenced(limit: number): Promise<string[]> {
    return (await this.#read("unreferenced", { limit })).map(({ hash }) => String(hash));
  }

  async filesOf(hashes: readonly string[]): Promise<Map<string, FileName & ContentFacts>> {
    const rows = await this.#read("files", { hashes: JSON.stringify(hashes) });
    return new Map(rows.map(toFile).map((file) => [file.hash, file]));
  }

  async newLosses(hashes: readonly string[]): Promise<string[]> {
    const rows = await this.#read("newLosses", { hashes: JSON.stringify(hashes) });
    return rows.map((row) => String(row.hash));
  }

  async acceptLosses(hashes: readonly string[]): Promise<void> {
    await this.#write("acceptLosses", { hashes: JSON.stringify(hashes) });
  }

  /** Makes the generation of the database at least this number. */
  async raiseGeneration(generation: number): Promise<void> {
    await this.#write("raiseGeneration", { generation });
  }

  async contentsAfter(hash: string, limit: number): Promise<ContentFacts[]> {
    return (await this.#read("contents", { after: hash, limit })).map(toFacts);
  }

  async withoutSha256(hash: string, limit: number): Promise<ContentFacts[]> {
    return (await this.#read("withoutSha256", { after: hash, limit })).map(toFacts);
  }

  async saveSha256(digests: ReadonlyMap<string, string>): Promise<void> {
    if (digests.size === 0) return;
    await this.#write("saveSha256", { digests: JSON.stringify(Object.fromEntries(digests)) });
  }

  async scrubProgress(): Promise<ScrubProgress> {
    const [row] = await this.#read("scrub", {});
    return { startedAt: Number(row?.scrub_started_at), position: String(row?.scrubbed_to) };
  }

  async saveScrubProgress({ startedAt, position }: ScrubProgress): Promise<void> {
    await this.#write("saveScrub", { startedAt, position });
  }

  #read(statement: UpkeepStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#parts.reader.upkeepRows(statement, parameters);
  }

  #write(statement: UpkeepStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    const { commits, writer } = this.#parts;
    return commits.run(() => writer.upkeepRows(statement, parameters));
  }
}

/** Converts the rows of the statement `gap`. */
export function toGap(rows: readonly SqlRow[]): ContentGap {
  const of = (kind: string) =>
    rows.filter((row) => row.kind === kind).map((row) => String(row.hash));
  return { missing: of("missing"), unreferenced: of("unreferenced") };
}

/** Converts a row of the statement `files`. */
export function toFile(row: SqlRow): FileName & ContentFacts {
  return { userId: Number(row.user_id), path: String(row.path), ...toFacts(row) };
}
