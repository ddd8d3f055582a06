import type { NewScan, Scan, ScanFile } from "../../core/scans/ports.ts";
import type { Remote } from "../threads/rpc.ts";
import type { SqlParameters, SqlRow } from "./connection.ts";
import type { GroupCommit } from "./group_commit.ts";
import { firstPaths, firstScan } from "./scan_rows.ts";
import type { ScanStatement } from "./scan_statements.ts";
import type { Writer } from "./writer.ts";

/** How many files one transaction adds or removes at most, as the writes of others wait for it. */
const MAX_STEP_FILES = 2000;
/** Stands for the number of files while they are added. Such a scan is not shown, and a start removes it. */
const INCOMPLETE = -1;

export interface ScanStepsParts {
  readonly writer: Remote<Writer>;
  readonly commits: GroupCommit;
}

/**
 * Creates and ends scans: in one transaction whose statements travel together, or for many files in
 * several, between which others write.
 */
export class ScanSteps {
  readonly #parts: ScanStepsParts;

  constructor(parts: ScanStepsParts) {
    this.#parts = parts;
  }

  /** {@link ScanStore.create} */
  async create(scan: NewScan, files: AsyncIterable<readonly ScanFile[]>): Promise<Scan> {
    const steps = inSteps(files);
    let { value: step = [] } = await steps.next();
    let next = await steps.next();
    const { commits } = this.#parts;
    if (next.done) return firstScan(await commits.run(() => this.#add(scan, step, totalsOf(step))));
    const { id } = firstScan(
      await commits.run(() => this.#add(scan, step, { files: INCOMPLETE, bytes: 0 })),
    );
    const totals = totalsOf(step);
    try {
      for (; !next.done; next = await steps.next()) {
        step = next.value;
        await commits.run(() => this.#write("insertFiles", filesOf(id, step)));
        const { files, bytes } = totalsOf(step);
        totals.files += files;
        totals.bytes += bytes;
      }
      return firstScan(await commits.run(() => this.#write("setTotals", { id, ...totals })));
    } catch (error) {
      await this.#forgetFiles(id, totals.files + step.length);
      await commits.run(() => this.#write("remove", { id }));
      throw error;
    }
  }

  /** Runs a statement that ends a scan, after others, and removes the files of the scan. */
  async end(
    statement: ScanStatement,
    parameters: SqlParameters & { id: number },
    before: readonly (readonly [ScanStatement, SqlParameters])[] = [],
  ): Promise<Scan> {
    const { id } = parameters;
    const scan = firstScan(
      await this.#parts.commits.run(async () => {
        const written = before.map(([statement, values]) => this.#write(statement, values));
        const ended = this.#write(statement, parameters);
        const rest = [
          this.#write("forgetAttempts", { id }),
          this.#write("forgetFiles", { id, limit: MAX_STEP_FILES }),
        ];
        await Promise.all([...written, ended, ...rest]);
        return await ended;
      }),
    );
    await this.#forgetFiles(id, scan.filesTotal - MAX_STEP_FILES);
    return scan;
  }

  /** Adds a scan with its first files. */
  async #add(
    { userId: user, requestedBy: requester, paths, skip, createdAt: now }: NewScan,
    files: readonly ScanFile[],
    totals: Totals,
  ): Promise<SqlRow[]> {
    const shown = firstPaths(paths);
    const inserted = this.#write("insert", {
      user,
      requester,
      paths: JSON.stringify(shown),
      pathsTotal: paths.length,
      skip: JSON.stringify(skip),
      now,
      ...totals,
    });
    const others = [
      ...shown.length === paths.length
        ? []
        : [this.#write("insertPaths", { paths: JSON.stringify(paths) })],
      ...files.length === 0 ? [] : [this.#write("insertFiles", filesOf(null, files))],
    ];
    await Promise.all([inserted, ...others]);
    return await inserted;
  }

  async #forgetFiles(id: number, count: number): Promise<void> {
    for (let left = count; left > 0; left -= MAX_STEP_FILES) {
      await this.#parts.commits.run(() =>
        this.#write("forgetFiles", { id, limit: MAX_STEP_FILES })
      );
    }
  }

  #write(statement: ScanStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#parts.writer.scanRows(statement, parameters);
  }
}

interface Totals {
  files: number;
  bytes: number;
}

function totalsOf(files: readonly ScanFile[]): Totals {
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

/** @param id The scan; null for the one that was just added. */
function filesOf(id: number | null, files: readonly ScanFile[]): SqlParameters {
  return { id, files: JSON.stringify(files) };
}

/** The items of all pages, at most {@link MAX_STEP_FILES} at once. */
async function* inSteps<T>(
  pages: AsyncIterable<readonly T[]>,
): AsyncGenerator<readonly T[], undefined> {
  let step: T[] = [];
  for await (const page of pages) {
    if (step.length > 0 && step.length + page.length > MAX_STEP_FILES) {
      yield step;
      step = [];
    }
    step.push(...page);
  }
  if (step.length > 0) yield step;
}
