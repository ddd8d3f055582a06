import type { ResourceRecord, Scope, TransferEffect, WriteTransaction } from "../../core/ports.ts";
import type { Remote } from "../threads/rpc.ts";
import type { BeforeCommit } from "./group_commit.ts";
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
}

/** The operations of a write transaction, by calls to the writer. */
export function transactionOn(
  call: WriterCalls,
  beforeCommit: BeforeCommit,
  { isStep, lookup, change }: TransactionRules,
): WriteTransaction {
  return {
    beforeCommit,
    async findByPath(scope, paths) {
      lookup(scope);
      return await call((writer) => writer.findByPath(scope, paths));
    },
    async insert(records) {
      if (records.length === 0) return [];
      for (const { userId } of records) lookup({ userId, everyone: false });
      return await call((writer) => writer.insert(records));
    },
    async replaceFiles(files) {
      if (files.length === 0) return [];
      for (const { userId } of files) lookup({ userId, everyone: false });
      return await call((writer) => writer.replaceFiles(files, isStep));
    },
    async deleteSubtrees(roots) {
      await change(roots);
      const deleted: ResourceRecord[] = [];
      for (let rest = roots; rest.length > 0;) {
        const progress = await call((writer) => writer.deleteSome(rest, isStep));
        for (const record of progress.deleted) deleted.push(record);
        rest = rest.slice(progress.doneRoots);
      }
      return deleted;
    },
    async moveSubtrees(placements, now) {
      await change(placements.map(({ source }) => source));
      await call((writer) => writer.planMove(placements, now, isStep));
      return await runPlan(call, isStep);
    },
    async copySubtrees(placements, now) {
      await change(placements.map(({ source }) => source));
      await call((writer) => writer.planCopy(placements, now, isStep));
      return await runPlan(call, isStep);
    },
    async usage(userId) {
      lookup({ userId, everyone: false });
      return await call((writer) => writer.usage(userId));
    },
    unreferenced: (hashes) => call((writer) => writer.unreferenced(hashes)),
  };
}

async function runPlan(call: WriterCalls, isStep: boolean): Promise<TransferEffect[]> {
  const effects: TransferEffect[] = [];
  for (let done = false; !done;) {
    const progress = await call((writer) => writer.runPlan(isStep));
    for (const effect of progress.effects) effects.push(effect);
    done = progress.done;
  }
  return effects;
}
