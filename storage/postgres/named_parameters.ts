/** A statement as PostgreSQL takes it: its parameters have numbers. */
export interface NumberedStatement {
  /** The name under which each connection prepares it. */
  readonly name: string;
  readonly text: string;
  /** The names of the parameters, in the order of their numbers. */
  readonly parameters: readonly string[];
}

const statements = new Map<string, NumberedStatement>();

/**
 * Numbers the parameters of a statement, such as `:user`, and keeps the result. A cast has two colons.
 * String literals must not hold a colon before a letter.
 *
 * @example
 * ```ts
 * import { numberedStatement } from "./named_parameters.ts";
 * numberedStatement("SELECT :a::text, :b, :a").text; // "SELECT $1::text, $2, $1"
 * ```
 */
export function numberedStatement(sql: string): NumberedStatement {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const parameters: string[] = [];
  const text = sql.replace(/(?<!:):([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!parameters.includes(name)) parameters.push(name);
    return `$${parameters.indexOf(name) + 1}`;
  });
  const statement = { name: `s${statements.size}`, text, parameters };
  statements.set(sql, statement);
  return statement;
}
