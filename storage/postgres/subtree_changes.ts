import { outermost } from "../../core/paths.ts";
import type { Placement, RecordList, ResourceRecord, TransferEffects } from "../../core/ports.ts";
import type { ChangeRecords, KeptPage } from "../tables/change_records.ts";
import { type RecordEffect, RecordPages } from "../tables/record_pages.ts";
import { EFFECT_COLUMNS, EFFECTS, effectsAfter, makeTables } from "./change_tables.ts";
import { RECORD_COLUMNS } from "./lookup.ts";
import { isBelow, isPath } from "./path_conditions.ts";
import type { Session } from "./session.ts";
import { TransferPlan } from "./transfer_plan.ts";

/** Rows of {@link EFFECTS} that are read at once. */
const PAGE_ROWS = 1000;

/**
 * Deletes the roots with all their descendants, by path and then by age (RS 4.6.5). Returns what was
 * deleted.
 */
export async function deleteSubtrees(
  session: Session,
  kept: ChangeRecords,
  roots: readonly ResourceRecord[],
): Promise<RecordList> {
  await makeTables(session);
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
  await session.run(
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
  );
  await session.run(`DELETE FROM records WHERE id IN (SELECT id FROM ${EFFECTS})`);
  return kept.list((await takeEffects(session, kept)).deleted);
}

/** Moves the placements, one after the other: see `WriteTransaction.moveSubtrees`. */
export async function moveSubtrees(
  session: Session,
  kept: ChangeRecords,
  { placements, now }: { readonly placements: readonly Placement[]; readonly now: number },
): Promise<TransferEffects> {
  await makeTables(session);
  await new TransferPlan(session).move(placements, now);
  return await transferEffects(session, kept);
}

/** Copies the placements: see `WriteTransaction.copySubtrees`. */
export async function copySubtrees(
  session: Session,
  kept: ChangeRecords,
  { placements, now }: { readonly placements: readonly Placement[]; readonly now: number },
): Promise<TransferEffects> {
  await makeTables(session);
  await new TransferPlan(session).copy(placements, now);
  return await transferEffects(session, kept);
}

async function transferEffects(session: Session, kept: ChangeRecords): Promise<TransferEffects> {
  const { overwritten, added, updated, merged } = await takeEffects(session, kept);
  return {
    overwritten: kept.list(overwritten),
    added: kept.list(added),
    updated: kept.list(updated),
    merged: kept.list(merged),
  };
}

/** Moves what the table has of a change to pages, a part at a time. */
async function takeEffects(
  session: Session,
  kept: ChangeRecords,
): Promise<Readonly<Record<RecordEffect, readonly KeptPage[]>>> {
  const taken: Record<RecordEffect, KeptPage[]> = {
    added: [],
    updated: [],
    overwritten: [],
    merged: [],
    deleted: [],
  };
  for (let after = 0;;) {
    const { effects, last } = await effectsAfter(session, after, PAGE_ROWS);
    if (last === 0) return taken;
    const pages = new RecordPages();
    for (const rows of effects) pages.add(rows);
    for (const page of pages.take()) taken[page.effect].push(await kept.keep(page, false));
    after = last;
  }
}
