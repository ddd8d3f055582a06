import type { NewScan, Scan, ScanFile } from "../../core/scans/ports.ts";
import {
  commit,
  type RunStatement,
  type SqlParameters,
  type SqlRow,
  type Statements,
} from "./dialect.ts";
import { firstPaths, firstScan } from "./scan_rows.ts";
import type { ScanStatement } from "./scan_statements.ts";

/** How many files one transaction adds or removes at most, as the writes of others wait for it. */
const MAX_STEP_FILES = 2000;
/** Stands for the number of files while they are added. Such a scan is not shown, and a start removes it. */
const INCOMPLETE = -1;

/**
 * Creates and ends scans: in one transaction whose statements travel together, or for many files in
 * several, between which others write.
 */
export class ScanSteps {
  readonly #statements: Statements<ScanStatement>;

  constructor(statements: Statements<ScanStatement>) {
    this.#statements = statements;
  }

  /** {@link ScanStore.create} */
  async create(scan: NewScan, files: AsyncIterable<readonly ScanFile[]>): Promise<Scan> {
    const steps = inSteps(files);
    let { value: step = [] } = await steps.next();
    let next = await steps.next();
    if (next.done) return firstScan(await this.#add(scan, step, totalsOf(step)));
    const { id } = firstScan(await this.#add(scan, step, { files: INCOMPLETE, bytes: 0 }));
    const totals = totalsOf(step);
    try {
      for (; !next.done; next = await steps.next()) {
        step = next.value;
        await this.#commit("insertFiles", filesOf(id, step));
        const { files, bytes } = totalsOf(step);
        totals.files += files;
        totals.bytes += bytes;
      }
      return firstScan(await this.#commit("setTotals", { id, ...totals }));
    } catch (error) {
      await this.#forgetFiles(id, totals.files + step.length);
      await this.#commit("remove", { id });
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
    const scan = await this.#statements.write(async (run) => {
      const written = before.map(([statement, values]) => run(statement, values));
      const ended = run(statement, parameters);
      const rest = [
        run("forgetAttempts", { id }),
        run("forgetFiles", { id, limit: MAX_STEP_FILES }),
      ];
      await Promise.all([...written, ended, ...rest]);
      // If there is none, nothing of another server's scan may be removed.
      return firstScan(await ended);
    });
    await this.#forgetFiles(id, scan.filesTotal - MAX_STEP_FILES);
    return scan;
  }

  /** Adds a scan with its first files. */
  #add(
    { userId: user, requestedBy: requester, paths, skip, createdAt: now }: NewScan,
    files: readonly ScanFile[],
    totals: Totals,
  ): Promise<SqlRow[]> {
    const shown = firstPaths(paths);
    const parameters = {
      user,
      requester,
      paths: JSON.stringify(shown),
      pathsTotal: paths.length,
      skip: JSON.stringify(skip),
      now,
      ...totals,
    };
    return this.#statements.write(async (run: RunStatement<ScanStatement>) => {
      const inserted = run("insert", parameters);
      const others = [
        ...shown.length === paths.length
          ? []
          : [run("insertPaths", { paths: JSON.stringify(paths) })],
        ...files.length === 0 ? [] : [run("insertFiles", filesOf(null, files))],
      ];
      await Promise.all([inserted, ...others]);
      return await inserted;
    });
  }

  async #forgetFiles(id: number, count: number): Promise<void> {
    for (let left = count; left > 0; left -= MAX_STEP_FILES) {
      await this.#commit("forgetFiles", { id, limit: MAX_STEP_FILES });
    }
  }

  #commit(statement: ScanStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return commit(this.#statements, statement, parameters);
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
  const rows = files.map(({ userId, ...file }) => ({ user_id: userId, ...file }));
  return { id, files: JSON.stringify(rows) };
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
