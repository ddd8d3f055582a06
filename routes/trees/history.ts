import type { Context } from "hono";
import { atIn } from "../../core/at.ts";
import { isoTime, itemsJson } from "../../core/entries.ts";
import { AppError, quoted } from "../../core/errors.ts";
import type { LogPlace, TrashEntry as Deleted } from "../../core/history.ts";
import { changedOwners, changedRecords } from "../../core/tree/change_set.ts";
import type { Tree } from "../../core/tree/changes.ts";
import type { ItemsJson } from "../../core/ports.ts";
import { diff, type Difference } from "../../core/tree/diff.ts";
import { purgeContent } from "../../core/tree/purge.ts";
import { restore } from "../../core/tree/restore.ts";
import { emptyTrash, listTrash } from "../../core/tree/trash.ts";
import { type JudgedChange, treeLog } from "../../core/tree/tree_log.ts";
import {
  type DiffEntry,
  type EmptiedTrash,
  type HistoryEntry,
  type HistoryList,
  PurgeRequest,
  RestoreRequest,
  type TrashEntry,
  type TrashList,
} from "../../schemas/history.ts";
import { entryList, listReply } from "../reply/entries.ts";
import { compressed, success } from "../reply/envelope.ts";
import { verdictOf } from "../reply/verdicts.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { jsonBody } from "../request/body.ts";
import { pageOf, parseQuery } from "../request/query.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";

type Handled = Context<AppEnvironment>;

/** `GET /resources/history` (C 26). */
export async function showHistory(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const { items, next } = await treeLog(tree, {
    caller: callerOf(c),
    path: query.get("path")?.[0] ?? "",
    place: placeIn(query.get("after")?.[0]),
    limit: pageOf(query).limit,
  });
  const list: HistoryList = {
    items: items.map(historyEntry),
    total: items.length,
    next: next === undefined ? null : textOf(next),
  };
  return compressed(c, list);
}

/** `POST /resources/restore` (C 26). Responds as a copy does. */
export async function restoreResource(c: Handled, tree: Tree): Promise<Response> {
  const { path, at, destination, force } = await jsonBody(c.req.raw, RestoreRequest);
  const named = {
    paths: [path],
    details: { at, destination: destination ?? undefined },
  };
  auditChange(c, named);
  const changes = await restore(tree, {
    caller: callerOf(c),
    path,
    at: atIn(String(at)),
    destination: destination ?? undefined,
    force,
  });
  auditChange(c, { ...named, records: changedOwners(changes) });
  return await entryList(c, changedRecords(changes, "added", "updated"));
}

/** `GET /resources/diff` (C 26). */
export async function showDiff(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const [from] = query.get("from") ?? [];
  const [to] = query.get("to") ?? [];
  if (from === undefined) {
    throw new AppError("ErrResourcesInvalidRequest", "Cannot compare: from is required");
  }
  const found = diff(tree, {
    caller: callerOf(c),
    path: query.get("path")?.[0] ?? "",
    from: atIn(from),
    to: to === undefined ? undefined : atIn(to),
  });
  return await listReply(c, diffLists(found));
}

async function* diffLists(
  batches: AsyncIterable<readonly Difference[]>,
): AsyncGenerator<ItemsJson> {
  for await (const batch of batches) {
    if (batch.length > 0) yield itemsJson(batch, (it) => JSON.stringify(diffEntry(it)));
  }
}

function diffEntry({ action, record, formerPath, sha256 }: Difference): DiffEntry {
  const { path, isDir, size } = record;
  return { action, path, former_path: formerPath, is_dir: isDir, size, sha256 };
}

/** `GET /resources/trash` (C 26). */
export async function showTrash(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const { entries, next } = await listTrash(tree, {
    caller: callerOf(c),
    place: placeIn(query.get("after")?.[0]),
    limit: pageOf(query).limit,
  });
  const list: TrashList = {
    items: entries.map(trashEntry),
    total: entries.length,
    next: next === undefined ? null : textOf({ ...next, path: "" }),
  };
  return compressed(c, list);
}

function trashEntry({ version, time, author, path, isDir, size, files }: Deleted): TrashEntry {
  return { version, time: isoTime(time), user_id: author, path, is_dir: isDir, size, files };
}

/** `DELETE /resources/trash` (C 26). */
export async function deleteTrash(c: Handled, tree: Tree): Promise<Response> {
  const path = parseQuery(c.req.url).get("path")?.[0];
  auditChange(c, { paths: path === undefined ? [] : [path] });
  const emptied: EmptiedTrash = { total: await emptyTrash(tree, { caller: callerOf(c), path }) };
  return success(c, emptied);
}

/** `POST /resources/purge` (C 26). */
export async function purgeResources(c: Handled, tree: Tree): Promise<Response> {
  const { sha256 } = await jsonBody(c.req.raw, PurgeRequest);
  auditChange(c, { paths: [], details: { sha256 } });
  const changes = await purgeContent(tree, { caller: callerOf(c), sha256 });
  auditChange(c, { paths: [], details: { sha256 }, records: changedOwners(changes) });
  return await entryList(c, changedRecords(changes, "deleted"));
}

/** A change as callers see it. */
export function historyEntry({ change, verdict, isBlocked }: JudgedChange): HistoryEntry {
  const { version, time, author, message, action, path, formerPath, isDir, size } = change;
  return {
    version,
    time: isoTime(time),
    user_id: author,
    message,
    action,
    path,
    former_path: formerPath,
    is_dir: isDir,
    size,
    sha256: verdict?.sha256 ?? null,
    verdict: verdict === null ? null : verdictOf({ verdict, isBlocked, signature: undefined }),
  };
}

/** A place as the text of a parameter: no path has a colon (C 4). */
function textOf({ version, after, path, former = "" }: LogPlace): string {
  return [version, after, path, former].join(":");
}

function placeIn(text: string | undefined): LogPlace | undefined {
  if (text === undefined) return undefined;
  const [version = "", after = "", path = "", former = "", ...others] = text.split(":");
  if (/^\d{1,15}$/.test(version) && others.length === 0 && !text.includes("\0")) {
    return { version: Number(version), after, path, former: former === "" ? undefined : former };
  }
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid after ${quoted(text)}: expected the next of a page`,
  );
}
