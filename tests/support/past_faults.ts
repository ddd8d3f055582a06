import { POSTGRES } from "../../storage/postgres/dialect.ts";
import { SQLITE } from "../../storage/sqlite/dialect.ts";
import { checkHistory } from "../../storage/upkeep/check/check_history.ts";
import { Findings } from "../../storage/upkeep/check/findings.ts";
import { IN_SQLITE } from "./engines.ts";
import type { TestDatabase } from "./test_database.ts";

/** What contradicts itself in what a database keeps of the past (C 26). */
export async function pastFaults(database: TestDatabase): Promise<string[]> {
  const findings = new Findings();
  await checkHistory({
    dialect: IN_SQLITE ? SQLITE : POSTGRES,
    all: (sql) => database.all(sql),
    hasTable: () => true,
  }, findings);
  return findings.listed.map(({ message }) => message);
}
