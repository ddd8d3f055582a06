import type { ContentFacts } from "../../core/ports.ts";
import type {
  ContentGap,
  FileName,
  FileNames,
  ScrubProgress,
  UpkeepStore,
} from "../../core/upkeep/ports.ts";
import { settledTime } from "./clock.ts";
import { commit, type SqlRow, type Statements } from "./dialect.ts";
import { toFacts, type UpkeepStatement } from "./upkeep_statements.ts";

/** Compares the records with stored content, and remembers what it found. */
export class SqlUpkeepStore implements UpkeepStore {
  readonly #statements: Statements<UpkeepStatement>;

  constructor(statements: Statements<UpkeepStatement>) {
    this.#statements = statements;
  }

  async findGap(prefix: string, hashes: readonly string[]): Promise<ContentGap> {
    const gap = toGap(
      await this.#statements.read("gap", { prefix, hashes: JSON.stringify(hashes) }),
    );
    const rows = await this.#statements.read("unreferencedFiles", { prefix });
    const unreferenced = new Set([...gap.unreferenced, ...rows.map(({ hash }) => String(hash))]);
    return { missing: gap.missing, unreferenced: [...unreferenced] };
  }

  async unreferenced(limit: number): Promise<string[]> {
    return (await this.#statements.read("unreferenced", { limit })).map(({ hash }) => String(hash));
  }

  async filesOf(hashes: readonly string[]): Promise<Map<string, FileName & ContentFacts>> {
    const rows = await this.#statements.read("files", { hashes: JSON.stringify(hashes) });
    return new Map(rows.map(toFile).map((file) => [file.hash, file]));
  }

  async unnameable(limit: number): Promise<FileNames> {
    const rows = await this.#statements.find("unnameable", { limit });
    return { count: Number(rows[0]?.total ?? 0), files: rows.map(toFileName) };
  }

  async newLosses(hashes: readonly string[]): Promise<string[]> {
    const rows = await this.#statements.read("newLosses", { hashes: JSON.stringify(hashes) });
    return rows.map((row) => String(row.hash));
  }

  async acceptLosses(hashes: readonly string[]): Promise<void> {
    await commit(this.#statements, "acceptLosses", { hashes: JSON.stringify(hashes) });
  }

  async contentsAfter(hash: string, limit: number): Promise<ContentFacts[]> {
    return (await this.#statements.find("contents", { after: hash, limit })).map(toFacts);
  }

  async withoutSha256(hash: string, limit: number): Promise<ContentFacts[]> {
    return (await this.#statements.find("withoutSha256", { after: hash, limit })).map(toFacts);
  }

  async saveSha256(digests: ReadonlyMap<string, string>): Promise<void> {
    if (digests.size === 0) return;
    const rows = [...digests].map(([md5, sha256]) => ({ md5, sha256 }));
    await commit(this.#statements, "saveSha256", { digests: JSON.stringify(rows) });
  }

  async scrubProgress(): Promise<ScrubProgress> {
    const [row] = await this.#statements.find("scrub", {});
    return { startedAt: Number(row?.scrub_started_at), position: String(row?.scrubbed_to) };
  }

  settledTime(now: number): Promise<number> {
    const { find } = this.#statements;
    // Most readings change nothing: no transaction for them.
    return settledTime({ run: find, save: (...given) => commit(this.#statements, ...given) }, now);
  }

  async saveScrubProgress({ startedAt, position }: ScrubProgress): Promise<void> {
    await commit(this.#statements, "saveScrub", { startedAt, position });
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
  return { ...toFileName(row), ...toFacts(row) };
}

function toFileName(row: SqlRow): FileName {
  return { userId: Number(row.user_id), path: String(row.path) };
}
