import type { Dialect } from "./dialect.ts";
import { countTags } from "./purge_statements.ts";
import { isUnreferenced } from "./references.ts";

const COLUMNS =
  "id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";

const TAG = "id, user_id, name, path, version, message, created_by, created_at, files, bytes";

/** What has the records that a tag is to name, in place of the table, and named as it is. */
export interface TagSources {
  readonly past: string;
  readonly tagged: string;
}

/** All statements about tags (C 26), by name. See docs/design/past.md. */
export const tagStatements = (
  { comparePath, indexesFresh, recordTables, texts }: Dialect,
  sources: TagSources,
) => {
  const filling = (from: string, condition: string) =>
    `INSERT INTO tagged_records (tag, ${COLUMNS}) SELECT CAST(:into AS BIGINT), ${COLUMNS} FROM ${from}
    WHERE user_id = :user AND ${condition}`;
  const below = `${comparePath("path", ">", ":first")} AND ${comparePath("path", "<", ":end")}`;
  const named = `path IN (SELECT value FROM ${texts(":paths")} AS asked)`;
  const { past, tagged } = sources;
  const others = recordTables.filter((table) => table !== "tagged_records");

  return {
    add: `INSERT INTO tags (user_id, name, path, version, message, created_by, created_at)
      SELECT :user, :name, :path,
        coalesce(CAST(:version AS BIGINT),
          (SELECT tree.version FROM tree_versions AS tree WHERE tree.user_id = :user), 0),
        CAST(:message AS TEXT), :author, :now
      WHERE TRUE ON CONFLICT (user_id, name) DO NOTHING RETURNING ${TAG}`,
    count: `${countTags("id = :id")} RETURNING files, bytes`,
    /** Whether the tag has a record at a path. */
    has: `SELECT 1 AS found FROM tagged_records
      WHERE tag = :id AND ${comparePath("path", "=", ":path")}`,
    fillAll: filling("records", "TRUE"),
    fillBelow: filling("records", below),
    fillNamed: filling("records", named),
    fillAllOfPast: filling(past, "TRUE"),
    fillBelowOfPast: filling(past, below),
    fillNamedOfPast: filling(past, named),
    fillAllOfTag: filling(tagged, "TRUE"),
    fillBelowOfTag: filling(tagged, below),
    fillNamedOfTag: filling(tagged, named),
    find: `SELECT ${TAG} FROM tags WHERE user_id = :user AND name = :name`,
    exists: "SELECT id FROM tags WHERE user_id = :user AND id = :id",
    list: `SELECT ${TAG} FROM tags WHERE user_id = :user AND id < :before
        AND (CAST(:path AS TEXT) IS NULL OR path = :path)
      ORDER BY id DESC LIMIT :limit`,
    /** The contents that nothing but the tag names. */
    alone:
      `SELECT DISTINCT hash FROM tagged_records AS kept WHERE kept.tag = :id AND kept.hash <> ''
      AND ${isUnreferenced({ indexesFresh, recordTables: others }, "kept.hash")} AND NOT EXISTS (
        SELECT 1 FROM tagged_records AS held
        WHERE held.hash = kept.hash AND held.hash <> '' AND held.tag <> :id
      )`,
    empty: `DELETE FROM tagged_records WHERE tag = :id`,
    remove: `DELETE FROM tags WHERE id = :id`,
  };
};

export type TagStatement = keyof ReturnType<typeof tagStatements>;
