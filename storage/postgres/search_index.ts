import { settleMarks, SqlSearchIndex } from "../tables/search_index.ts";
import { statementsOf, type StatementsParts } from "./run_statements.ts";
import { MARK_BATCH, TO_ROWS } from "./search_engine.ts";
import { STATEMENTS } from "./statements.ts";

/** The index of searches, whose documents this thread makes. */
export function searchIndexOf(parts: StatementsParts): SqlSearchIndex {
  const statements = statementsOf({ ...STATEMENTS.search, markBatch: MARK_BATCH }, parts);
  return new SqlSearchIndex(statements, {
    settle: (...known) => statements.write((run) => settleMarks(run, TO_ROWS, ...known)),
    markBatch: async () => (await statements.write((run) => run("markBatch", {}))).length > 0,
  });
}
