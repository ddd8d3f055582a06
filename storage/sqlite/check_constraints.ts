import type { Connection } from "./connection.ts";

/** What may hold a parenthesis that counts, or hide one. */
const LEXEMES = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\bCHECK\s*\(|[()]/gi;

/**
 * Returns those of `tables` that have a row which breaks a CHECK constraint of theirs. SQLite drops these
 * constraints from the schema of a database that is opened read-only, so its own check misses them there.
 */
export function tablesWithBrokenChecks(
  connection: Connection,
  isIncluded: (table: string) => boolean,
): string[] {
  return connection.all("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    .filter(({ name, sql }) => {
      if (!isIncluded(String(name))) return false;
      const broken = checksOf(String(sql)).map((check) => `NOT (${check}\n)`);
      if (broken.length === 0) return false;
      const rows = `SELECT 1 FROM "${String(name)}" WHERE ${broken.join(" OR ")} LIMIT 1`;
      return connection.get(rows) !== undefined;
    })
    .map(({ name }) => String(name));
}

/** The conditions of the CHECK constraints in the statement that made a table. */
function checksOf(sql: string): string[] {
  const checks: string[] = [];
  let start: number | undefined;
  let depth = 0;
  for (const { 0: lexeme, index } of sql.matchAll(LEXEMES)) {
    if (lexeme === ")") depth--;
    else if (lexeme.endsWith("(")) depth++;
    if (start === undefined && /^check/i.test(lexeme)) {
      start = index + lexeme.length;
      depth = 1;
    } else if (start !== undefined && depth === 0) {
      checks.push(sql.slice(start, index));
      start = undefined;
    }
  }
  return checks;
}
