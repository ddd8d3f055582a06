import { ObjectGone } from "../../core/lfs_objects.ts";
import { uploadEnded } from "../../core/uploads.ts";
import type {
  ContentFacts,
  ResourceRecord,
  Scope,
  TransferEffects,
  WriteTransaction,
} from "../../core/ports.ts";
import type { Remote } from "../threads/rpc.ts";
import { SqlDavChanges } from "../tables/dav_changes.ts";
import type { ChangeRecords, KeptPage } from "../tables/change_records.ts";
import type { DavHints } from "./dav_hints.ts";
import type { BeforeCommit } from "./group_commit.ts";
import type { TagStatement } from "../tables/tag_statements.ts";
import { addTag } from "../tables/tags.ts";
import { factsRow } from "../tables/s3_facts.ts";
import { requireVersion } from "../tables/history_store.ts";
import type { HistoryStatement } from "../tables/history_statements.ts";
import type { PurgeStatement } from "../tables/purge_statements.ts";
import { holders, purge, purgeEverywhere } from "../tables/purge.ts";
import { inParts, mapInParts, partsOf } from "../tables/parts.ts";
import type { RecordEffect } from "../tables/record_pages.ts";
import type { RunStatement, SqlRow } from "../tables/dialect.ts";
import type { Writer } from "./writer.ts";

/** Makes a call to the writer, in a transaction. */
export type WriterCalls = <T>(call: (writer: Remote<Writer>) => Promise<T>) => Promise<T>;

/** What work may do, and how. */
export interface TransactionRules {
  /** Whether each call is a step of a large change. */
  readonly isStep: boolean;
  /** Refuses a lookup of records that must not be read now. */
  readonly lookup: (scope: Scope) => void;
  /** Refuses a change of records and their descendants that is impossible now, or in this way. */
  readonly change: (
    roots: readonly Pick<ResourceRecord, "userId" | "path" | "isDir">[],
  ) => Promise<void>;
  /** Refuses so many records of a user in this way. */
  readonly expect: (userId: number, records: number) => Promise<void>;
}

export interface TransactionParts {
  /** Makes a call, for a large change as a step. */
  readonly call: WriterCalls;
  /** For calls that belong to the commit of the last step. */
  readonly writer: Remote<Writer>;
  readonly beforeCommit: BeforeCommit;
  readonly last: WriteTransaction["last"];
  /** Runs work with the commit of the last step, or at once if there is one transaction only. */
  readonly withCommit: WriteTransaction["last"];
  /** Keeps the records that moves, copies and deletions change. */
  readonly records: ChangeRecords;
  readonly dav: DavHints;
  readonly rules: TransactionRules;
}

/** The operations of a write transaction, by calls to the writer. */
export function transactionOn(parts: TransactionParts): WriteTransaction {
  const { call, writer, beforeCommit, last, withCommit, rules } = parts;
  const { isStep, lookup, change } = rules;
  const purging: RunStatement<PurgeStatement> = (name, parameters) =>
    call((writer) => writer.rows(["purge", name], parameters));
  const reading: RunStatement<HistoryStatement | TagStatement> = (name, parameters) =>
    call((writer) => writer.rows(["history", name], parameters));
  return {
    beforeCommit,
    last,
    async findByPath(scope, paths) {
      lookup(scope);
      return await mapInParts(
        paths,
        (part) => call((writer) => writer.findByPath(scope, part)),
      );
    },
    expect: (userId, records) => rules.expect(userId, records),
    async insert(records) {
      if (records.length === 0) return [];
      for (const { userId } of records) lookup({ userId, everyone: false });
      return await inParts(records, (part) => call((writer) => writer.insert(part)));
    },
    async replaceFiles(files) {
      if (files.length === 0) return [];
      for (const { userId } of files) lookup({ userId, everyone: false });
      return await inParts(files, (part) => call((writer) => writer.replaceFiles(part, isStep)));
    },
    async deleteSubtrees(roots) {
      await change(roots);
      let isFirst = true;
      for await (const part of partsOf(roots)) {
        const begins = isFirst;
        isFirst = false;
        await call((writer) => writer.planDeletion(part, { isStep, begins }));
      }
      return parts.records.list((await runPlan(parts)).deleted);
    },
    async moveSubtrees(placements, now) {
      await change(placements.map(({ source }) => source));
      await call((writer) => writer.planMove(placements, now, isStep));
      return await runTransfer(parts);
    },
    async copySubtrees(placements, now) {
      await change(placements.map(({ source }) => source));
      await call((writer) => writer.planCopy(placements, { now, isStep }));
      return await runTransfer(parts);
    },
    async usage(userId) {
      lookup({ userId, everyone: false });
      return await call((writer) => writer.usage(userId));
    },
    async keepFacts(record, facts) {
      await call((writer) => writer.rows(["s3", "keepFacts"], factsRow(record, facts)));
    },
    async completeUploads(ids, now) {
      const parameters = { ids: JSON.stringify(ids), now };
      const rows = await call((writer) => writer.rows(["uploads", "complete"], parameters));
      if (rows.length < ids.length) throw uploadEnded();
    },
    async endMultipart(id) {
      await call((writer) => writer.rows(["s3", "removeUpload"], { id }));
    },
    async findContents(user, asked) {
      lookup({ userId: user, everyone: false });
      return await inParts(asked, async (part) => {
        const parameters = { user, pointers: JSON.stringify(part) };
        const rows = await call((writer) => writer.rows(["uploads", "contentOfTree"], parameters));
        const found = new Map(rows.map((row) => [row.position, toFacts(row)]));
        return part.map((_, position) => found.get(position));
      });
    },
    async takeObjects(ids) {
      if (ids.length === 0) return;
      await withCommit(async () => {
        const taken = await inParts(
          ids,
          (part) => writer.rows(["uploads", "removeObjects"], { ids: JSON.stringify(part) }),
        );
        if (taken.length < ids.length) throw new ObjectGone();
      });
    },
    contents: {
      put: (rows) => call((writer) => writer.putContents(rows, Date.now())),
      replace: (row) => call((writer) => writer.replaceContent(row)),
      remove: (hashes) => call((writer) => writer.removeContents(hashes)),
      quarantine: (hashes) => call((writer) => writer.quarantineContents(hashes)),
    },
    dav: new SqlDavChanges({
      run: (userId, statement, parameters) => {
        parts.dav.note(userId, statement, parameters);
        return call((writer) => writer.rows(["dav", statement], parameters));
      },
      hint: (userId, now) => Promise.resolve(parts.dav.at(userId, now)),
    }),
    history: {
      describe: (userId, note) => call((writer) => writer.describeVersion(userId, note)),
      async purge(forgotten) {
        lookup({ userId: forgotten.userId, everyone: false });
        return await purge(purging, forgotten);
      },
      async holders(sha256) {
        lookup({ userId: 0, everyone: true });
        return await holders(purging, sha256);
      },
      async addTag(tag, point) {
        lookup({ userId: tag.userId, everyone: false });
        const added = await addTag(reading, tag, point);
        if (point !== undefined) await requireVersion(reading, { userId: tag.userId, ...point });
        return added;
      },
      purgeEverywhere: (hashes) => purgeEverywhere(purging, hashes),
      async restoreSubtrees(placements, point, now) {
        const owner = placements[0]?.source.userId ?? 0;
        for (const { source: { userId, path, isDir } } of placements) {
          const tree = { userId, ...point };
          await rules.expect(
            userId,
            isDir ? await call((writer) => writer.countPast(tree, path)) : 1,
          );
        }
        await change(
          placements.map(({ source: { userId, path } }) => ({ userId, path, isDir: false })),
        );
        await call((writer) =>
          writer.planCopy(placements, { now, past: { userId: owner, ...point }, isStep })
        );
        const effects = await runTransfer(parts);
        await requireVersion(reading, { userId: owner, ...point });
        return effects;
      },
    },
    unreferenced: (hashes) => call((writer) => writer.unreferenced(hashes)),
  };
}

function toFacts({ hash, size, crc32 }: SqlRow): ContentFacts | undefined {
  if (hash === null) return undefined;
  return { hash: String(hash), size: Number(size), crc32: Number(crc32) };
}

async function runTransfer(parts: TransactionParts): Promise<TransferEffects> {
  const { overwritten, added, updated, merged } = await runPlan(parts);
  const { records } = parts;
  return {
    overwritten: records.list(overwritten),
    added: records.list(added),
    updated: records.list(updated),
    merged: records.list(merged),
  };
}

/** Carries out what the writer has planned. Returns the records that it has changed, by effect. */
async function runPlan(
  { call, records, rules: { isStep } }: TransactionParts,
): Promise<Readonly<Record<RecordEffect, readonly KeptPage[]>>> {
  const kept: Record<RecordEffect, KeptPage[]> = {
    added: [],
    updated: [],
    overwritten: [],
    merged: [],
    deleted: [],
  };
  for (let done = false; !done;) {
    const progress = await call((writer) => writer.runPlan(isStep));
    for (const page of progress.pages) {
      kept[page.effect].push(await records.keep(page, progress.nearlyFull));
    }
    done = progress.done;
  }
  return kept;
}
