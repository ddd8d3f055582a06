import type { RunStatement, Statements } from "../tables/dialect.ts";
import type { Remote } from "../threads/rpc.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { PointReader } from "./point_reader.ts";
import type { Reader } from "./reader.ts";
import type { StatementName, Stores } from "./statements.ts";
import type { Writer } from "./writer.ts";

export interface StatementsParts {
  readonly writer: Remote<Writer>;
  readonly reader: Remote<Reader>;
  readonly points: PointReader;
  readonly commits: GroupCommit;
}

/** Runs the statements of one store. */
export function statementsOf<Store extends keyof Stores>(
  store: Store,
  { writer, reader, points, commits }: StatementsParts,
): Statements<keyof Stores[Store] & string> {
  type Run = RunStatement<keyof Stores[Store] & string>;
  const of = (name: keyof Stores[Store] & string) => [store, name] as StatementName;
  const run: Run = (name, parameters) => writer.rows(of(name), parameters);
  return {
    find: (name, parameters) => Promise.resolve(points.rows(of(name), parameters)),
    read: (name, parameters) => reader.rows(of(name), parameters),
    once: (name, parameters) => commits.run(() => run(name, parameters)),
    // All work runs one after the other.
    write: (work) => commits.run(() => work(run)),
  };
}
