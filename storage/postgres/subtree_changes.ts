import { outermost } from "../../core/paths.ts";
import type { Placement, RecordList, ResourceRecord, TransferEffects } from "../../core/ports.ts";
import type { PastTree } from "../tables/history_store.ts";
import type { ChangeRecords, KeptPage } from "../tables/change_records.ts";
import type { RecordEffect } from "../tables/record_pages.ts";
import { EFFECT_COLUMNS, effectPages, EFFECTS, endChange, makeTables } from "./change_tables.ts";
import { RECORD_COLUMNS } from "./lookup.ts";
import { isBelow, isPath } from "./path_conditions.ts";
import type { Session } from "./session.ts";
import { TransferPlan } from "./transfer_plan.ts";

/** Pages of what a change did to records. */
type Effects = Readonly<Record<RecordEffect, KeptPage[]>>;

/** Sends the statements of a change. Returns those whose replies are not awaited yet. */
type Send = () => Promise<unknown>[] | Promise<Promise<unknown>[]>;

/**
 * Deletes the roots with all their descendants, by path and then by age (RS 4.6.5). Returns what was
 * deleted.
 */
export async function deleteSubtrees(
  session: Session,
  kept: ChangeRecords,
  roots: readonly ResourceRecord[],
): Promise<RecordList> {
  const owners = [...Map.groupBy(roots, ({ userId }) => userId)];
  const subtrees = owners.flatMap(([userId, owned]) => {
    const directories = new Set(owned.filter(({ isDir }) => isDir).map(({ path }) => path));
    return outermost(owned.map(({ path }) => path))
      .map((path) => ({ userId, path, isDir: directories.has(path) }));
  });
  const found = (list: string, which: string) =>
    `SELECT found.* FROM unnest(:${list}Users::bigint[], :${list}::text[]) AS root (user_id, path)
     CROSS JOIN LATERAL (
       SELECT ${RECORD_COLUMNS} FROM records
       WHERE records.user_id = root.user_id AND ${which} OFFSET 0
     ) AS found`;
  const directories = subtrees.filter(({ isDir }) => isDir);
  const { deleted } = await change(session, kept, () => [
    session.run(
      `INSERT INTO ${EFFECTS} (effect, ${EFFECT_COLUMNS})
       SELECT 'deleted', found.* FROM (
         ${found("roots", isPath("records.path", "root.path"))}
         UNION ALL ${found("directories", isBelow("records.path", "root.path"))}
       ) AS found ORDER BY found.path, found.created_at, found.id`,
      {
        roots: subtrees.map(({ path }) => path),
        rootsUsers: subtrees.map(({ userId }) => userId),
        directories: directories.map(({ path }) => path),
        directoriesUsers: directories.map(({ userId }) => userId),
      },
    ),
    session.run(`DELETE FROM records WHERE id IN (SELECT id FROM ${EFFECTS})`),
  ]);
  return kept.list(deleted);
}

/** Moves the placements, one after the other: see `WriteTransaction.moveSubtrees`. */
export async function moveSubtrees(
  session: Session,
  kept: ChangeRecords,
  { placements, now }: { readonly placements: readonly Placement[]; readonly now: number },
): Promise<TransferEffects> {
  const plan = new TransferPlan(session);
  const effects = await change(session, kept, async () => {
    const [only, ...others] = placements;
    if (only !== undefined && others.length === 0) {
      return [plan.move(only, now), plan.noteMoved(only.source, now)];
    }
    for (const [index, placement] of placements.entries()) {
      // The moves before it change what each of the others finds.
      if (index > 0) await plan.requireUnmoved(placement.source);
      await plan.move(placement, now);
      await plan.remember();
    }
    return [plan.noteRemembered()];
  });
  return transferEffects(kept, effects);
}

/** Copies the placements: see `WriteTransaction.copySubtrees`. */
export async function copySubtrees(
  session: Session,
  kept: ChangeRecords,
  { placements, ...options }: {
    readonly placements: readonly Placement[];
    readonly now: number;
    readonly past?: PastTree;
  },
): Promise<TransferEffects> {
  const plan = new TransferPlan(session);
  return transferEffects(
    kept,
    await change(session, kept, () => [plan.copy(placements, options)]),
  );
}

function transferEffects(
  kept: ChangeRecords,
  { overwritten, added, updated, merged }: Effects,
): TransferEffects {
  return {
    overwritten: kept.list(overwritten),
    added: kept.list(added),
    updated: kept.list(updated),
    merged: kept.list(merged),
  };
}

/**
 * Runs the statements of a change, and keeps what they did. Most are sent together, and their replies awaited
 * together: the engine runs them in order.
 */
async function change(session: Session, kept: ChangeRecords, send: Send): Promise<Effects> {
  const made = makeTables(session);
  made.catch(() => {});
  const statements = [made, ...await send(), endChange(session)];
  const taken = takeEffects(session, kept);
  // The first failure has caused those after it. None goes on after the change has failed.
  const failed = (await Promise.allSettled([...statements, taken]))
    .find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return await taken;
}

/** Keeps what the table has of a change in pages, a part at a time. */
async function takeEffects(session: Session, kept: ChangeRecords): Promise<Effects> {
  const taken: Effects = { added: [], updated: [], overwritten: [], merged: [], deleted: [] };
  for await (const page of effectPages(session)) {
    taken[page.effect].push(await kept.keep(page, false));
  }
  return taken;
}
