import { SqlSearchIndex } from "../tables/search_index.ts";
import { statementsOf, type StatementsParts } from "./run_statements.ts";

/** The index of searches, whose documents the thread of the writer makes. */
export function searchIndexOf(parts: StatementsParts): SqlSearchIndex {
  const { writer, commits } = parts;
  return new SqlSearchIndex(statementsOf("search", parts), {
    settle: (...known) => commits.run(() => writer.settleMarks(...known)),
    settleAdded: () => commits.run(() => writer.settleAdded()),
  });
}
