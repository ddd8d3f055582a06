import type { ColumnType, Dialect } from "../../tables/dialect.ts";
import type { ColumnKind, Row, Table, Value } from "./table.ts";

/** What the engines write differently, besides {@link Dialect}. */
export interface RowDialect {
  readonly dialect: Dialect;
  /** The hash of a directory, as an expression. */
  readonly noHash: string;
  /** After the columns of an INSERT: ids are given. */
  readonly givenIds: string;
}

const TYPES: Readonly<Record<ColumnKind, ColumnType>> = {
  text: "text",
  number: "bigint",
  bytes: "text",
  flag: "bigint",
  hash: "text",
};

/** The columns of a table as they are read. */
export function readColumns({ columns, read = {} }: Table): string {
  return Object.entries(columns).map(([name, kind]) => {
    if (kind === "flag") return `CASE WHEN ${name} THEN 1 ELSE 0 END AS ${name}`;
    if (kind === "hash") return `coalesce(${name}, '') AS ${name}`;
    return read[name] === undefined ? name : `${read[name]} AS ${name}`;
  }).join(", ");
}

/** Adds the rows of the parameter `rows`, which {@link rowsJson} makes. */
export function addStatement({ name, columns }: Table, dialect: RowDialect): string {
  const { values, table } = givenRows(columns, dialect);
  return `INSERT INTO ${name} (${Object.keys(columns).join(", ")}) ${dialect.givenIds}
    SELECT ${values.join(", ")} FROM ${table} ORDER BY given.position`;
}

/** Gives the columns of rows that have a key the values of the parameter `rows`. */
export function updateStatement(
  name: string,
  columns: Readonly<Record<string, ColumnKind>>,
  key: string,
  dialect: RowDialect,
): string {
  const { values, table } = givenRows(columns, dialect);
  const changes = Object.keys(columns).map((column, index) => `${column} = ${values[index]}`);
  return `UPDATE ${name} SET ${changes.join(", ")} FROM ${table}
    WHERE ${name}.${key} = ${values[Object.keys(columns).indexOf(key)]}`;
}

/** The parameter `rows` as a table, and the values of its columns. */
function givenRows(
  columns: Readonly<Record<string, ColumnKind>>,
  { dialect, noHash }: RowDialect,
): { values: string[]; table: string } {
  const kinds = Object.values(columns);
  const values = kinds.map((kind, index) => {
    const value = `given.${columnOf(index)}`;
    if (kind === "bytes") return dialect.bytes(value);
    if (kind === "flag") return `${value} <> 0`;
    if (kind === "hash") return `coalesce(nullif(${value}, ''), ${noHash})`;
    return value;
  });
  const types = kinds.map((kind, index) => [columnOf(index), TYPES[kind]]);
  return { values, table: `${dialect.rows(":rows", Object.fromEntries(types))} AS given` };
}

/** Rows as a JSON array of objects. Bytes are in hex. */
export function rowsJson(rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(row.map((value, index) => [columnOf(index), jsonValue(value)]))
    ),
  );
}

/** No table has a column of this name, and no engine gives it a meaning. */
function columnOf(index: number): string {
  return `value${index}`;
}

function jsonValue(value: Value): string | number | null {
  return value instanceof Uint8Array ? value.toHex() : value;
}
