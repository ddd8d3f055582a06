import { AppError, quoted } from "../../core/errors.ts";
import type { HistoryStore, TagQuery } from "../../core/history.ts";
import type { NewTag, PastPoint, Tag } from "../../core/history_changes.ts";
import { ancestorsOf } from "../../core/paths.ts";
import type { RunStatement, SqlParameters, SqlRow, Statements } from "./dialect.ts";
import { textOrNull } from "./dialect.ts";
import type { TagStatement } from "./tag_statements.ts";

/** The statements that add what a tag names. */
const FILLS = {
  present: { all: "fillAll", below: "fillBelow", named: "fillNamed" },
  past: { all: "fillAllOfPast", below: "fillBelowOfPast", named: "fillNamedOfPast" },
  tag: { all: "fillAllOfTag", below: "fillBelowOfTag", named: "fillNamedOfTag" },
} as const satisfies Record<string, Record<string, TagStatement>>;

/** Keeps tags in the database of the records. See docs/design/past.md. */
export class Tags {
  readonly #statements: Statements<TagStatement>;

  constructor(statements: Statements<TagStatement>) {
    this.#statements = statements;
  }

  /**
   * What a name stands for.
   *
   * @throws {AppError} `ErrVersionsNotFound` when there is no such tag.
   */
  async point(user: number, name: string): Promise<PastPoint> {
    const [row] = await this.#statements.find("find", { user, name });
    if (row === undefined) {
      throw new AppError(
        "ErrVersionsNotFound",
        `Cannot read at ${quoted(name)}: no tag has the name`,
      );
    }
    const { id, version } = toTag(row);
    return { version, tag: id };
  }

  /** @throws {AppError} `ErrVersionsNotFound` when the tag is gone. */
  async require(user: number, id: number): Promise<void> {
    if ((await this.#statements.find("exists", { user, id })).length > 0) return;
    throw new AppError("ErrVersionsNotFound", "The tag that was read has been removed");
  }

  /** {@link HistoryStore.tags} */
  async list({ userId, path, limit, before }: TagQuery): Promise<Tag[]> {
    const rows = await this.#statements.read("list", {
      user: userId,
      path: path ?? null,
      limit,
      before: before ?? Number.MAX_SAFE_INTEGER,
    });
    return rows.map(toTag);
  }

  /** {@link HistoryStore.removeTag} */
  async remove(user: number, name: string): ReturnType<HistoryStore["removeTag"]> {
    return await this.#statements.write(async (run) => {
      const [row] = await run("find", { user, name });
      if (row === undefined) return undefined;
      const tag = toTag(row);
      const alone = await run("alone", { id: tag.id });
      await run("empty", { id: tag.id });
      await run("remove", { id: tag.id });
      return { tag, hashes: alone.map(({ hash }) => String(hash)) };
    }, user);
  }
}

/** {@link HistoryChanges.addTag} */
export async function addTag(
  run: RunStatement<TagStatement>,
  { userId: user, name, path, message, createdBy, createdAt }: NewTag,
  point?: PastPoint,
): Promise<Tag> {
  const [row] = await run("add", {
    ...{ user, name, path, message },
    version: point?.version ?? null,
    author: createdBy,
    now: createdAt,
  });
  if (row === undefined) {
    throw new AppError("ErrTagsConflict", `Cannot add the tag ${quoted(name)}: there is one`);
  }
  const tag = toTag(row);
  const source: SqlParameters = point === undefined
    ? {}
    : point.tag === undefined
    ? { past_user: user, past_version: point.version }
    : { past_tag: point.tag };
  const fills = FILLS[point === undefined ? "present" : point.tag === undefined ? "past" : "tag"];
  const given = { into: tag.id, user, ...source };
  if (path === "") await run(fills.all, given);
  else {
    const paths = [...ancestorsOf(path), path];
    await run(fills.named, { ...given, paths: JSON.stringify(paths) });
    if ((await run("has", { id: tag.id, path })).length === 0) {
      throw new AppError("ErrResourcesNotFound", `Cannot tag ${quoted(path)}: not found`);
    }
    await run(fills.below, { ...given, first: `${path}/`, end: `${path}0` });
  }
  const [counted] = await run("count", { id: tag.id });
  return { ...tag, files: Number(counted?.files), bytes: Number(counted?.bytes) };
}

function toTag(row: SqlRow): Tag {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    name: String(row.name),
    path: String(row.path),
    version: Number(row.version),
    message: textOrNull(row.message),
    createdBy: Number(row.created_by),
    createdAt: Number(row.created_at),
    files: Number(row.files),
    bytes: Number(row.bytes),
  };
}
