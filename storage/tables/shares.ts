import { compareBytewise } from "../../core/paths.ts";
import type { Share, ShareQuery, Shares } from "../../core/shares.ts";
import type { Dialect, SqlParameters, SqlRow } from "./dialect.ts";

/** What is counted, in SQL. */
export interface Counted {
  readonly table: "records" | "usage";
  /** The column by which its rows are in order, and the value before the first of them. */
  readonly key: "path" | "id" | "user_id";
  readonly first: string | number;
  /** Which rows are after the key `:after`. */
  readonly isAfter: string;
  /** Which of them count at all. */
  readonly condition: string;
  readonly parameters: SqlParameters;
  /** What a row adds: a part, or NULL if it adds nothing; whether that is a directory; files and bytes. */
  readonly columns: string;
  /** How what rows add to a part becomes one. */
  readonly together: "sum" | "max";
}

/** The text before the last dot of a name, and the dot. */
const STEM = "rtrim(name, replace(name, '.', ''))";
/** Longer texts behind a dot are part of a name, rather than an extension. */
const MAX_EXTENSION = 16;
const EXTENSION = `CASE WHEN is_dir THEN NULL
  WHEN length(${STEM}) > 1 AND length(name) - length(${STEM}) BETWEEN 1 AND ${MAX_EXTENSION}
    THEN lower(substr(name, length(${STEM}) + 1))
  ELSE '' END`;

const OF_RECORD = `CASE WHEN is_dir THEN 1 ELSE 0 END AS is_dir,
  CASE WHEN is_dir THEN 0 ELSE 1 END AS files, size AS bytes`;

/** What to count for a query. */
export function countedFor(query: ShareQuery, dialect: Dialect): Counted {
  const { comparePath } = dialect;
  const { scope: { userId, everyone } } = query;
  const owned: Pick<Counted, "condition" | "parameters"> = everyone
    ? { condition: "TRUE", parameters: {} }
    : { condition: "user_id = :user", parameters: { user: userId } };
  const byPath = { key: "path", first: "", isAfter: comparePath("path", ">", ":after") } as const;
  const records = {
    table: "records",
    ...(everyone ? { key: "id", first: 0, isAfter: "id > :after" } as const : byPath),
    ...owned,
  } as const;
  switch (query.by) {
    case "content":
      return {
        ...records,
        columns: `nullif(hash, '') AS name, 0 AS is_dir, 1 AS files, size AS bytes`,
        together: "max",
      };
    case "extension":
      return { ...records, columns: `${EXTENSION} AS name, ${OF_RECORD}`, together: "sum" };
    case "user":
      return {
        ...{ table: "usage", key: "user_id", first: 0, isAfter: "user_id > :after" },
        ...owned,
        condition: `${owned.condition} AND records > 0`,
        columns: "CAST(user_id AS text) AS name, 0 AS is_dir, files, bytes",
        together: "sum",
      };
    case "entry": {
      const { directory } = query;
      const first = directory === "" ? "" : `${directory}/`;
      const name = dialect.firstSegment(`substr(path, ${[...first].length + 1})`);
      const own = { ...records, ...byPath, first };
      const columns = `${name} AS name, ${OF_RECORD}`;
      if (directory === "") return { ...own, columns, together: "sum" };
      return {
        ...own,
        condition: `${owned.condition} AND ${comparePath("path", "<", ":end")}`,
        // All paths below a directory sort up to this one, as "0" follows "/" in ASCII.
        parameters: { ...owned.parameters, end: `${directory}0` },
        columns,
        together: "sum",
      };
    }
  }
}

/** Sums up what rows add, part by part. */
export function summedUp(rows: string, together: Counted["together"]): string {
  return `SELECT name, max(is_dir) AS is_dir, ${together}(files) AS files, ${together}(bytes) AS bytes
    FROM ${rows} AS part WHERE name IS NOT NULL GROUP BY name`;
}

/** The largest parts of the table `counted`, and all of them together, with the parameter `:limit`. */
export const LARGEST = `
  SELECT NULL AS name, 0 AS is_dir, count(*) AS parts, coalesce(sum(files), 0) AS files,
    coalesce(sum(bytes), 0) AS bytes FROM counted
  UNION ALL SELECT * FROM (
    SELECT name, is_dir, 1 AS parts, files, bytes FROM counted
    ORDER BY bytes DESC, files DESC, name LIMIT :limit
  ) AS largest`;

/** Converts the rows of {@link LARGEST}. */
export function toShares(rows: readonly SqlRow[]): Shares {
  const total = rows.find(({ name }) => name === null);
  return {
    items: rows.filter(({ name }) => name !== null).map(toShare).sort(bySize),
    total: {
      parts: Number(total?.parts),
      files: Number(total?.files),
      bytes: Number(total?.bytes),
    },
  };
}

function toShare({ name, is_dir, files, bytes }: SqlRow): Share {
  return {
    name: String(name),
    isDir: Number(is_dir) === 1,
    files: Number(files),
    bytes: Number(bytes),
  };
}

function bySize(a: Share, b: Share): number {
  return b.bytes - a.bytes || b.files - a.files || compareBytewise(a.name, b.name);
}
