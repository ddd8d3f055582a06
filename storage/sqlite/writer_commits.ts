import type { RemoteWorker } from "../threads/rpc.ts";
import { GroupCommit } from "./group_commit.ts";
import { isOutcomeUnknown } from "./transactions.ts";
import type { Writer } from "./writer.ts";
import { throwUncaught } from "../threads/uncaught.ts";

export interface CommitOptions {
  /**
   * Called with the generation after a commit that has advanced it, or after which the database file was
   * written. The requests of the commit wait for it. @default does nothing
   */
  readonly onGeneration?: (generation: number) => void | Promise<void>;
  /**
   * Called when the outcome of a commit is unknown. Its requests get no reply, and nothing more is
   * written: the process must end. @default throws the error where nothing catches it
   */
  readonly onFatal?: (error: Error) => void;
}

/** Commits work of several requests at once, on the writer thread. */
export function writerCommits(
  writer: RemoteWorker<Writer>,
  { onFatal = throwUncaught, onGeneration = () => {} }: CommitOptions,
): GroupCommit {
  const { remote } = writer;
  return new GroupCommit({
    begin: (isStep) => remote.begin(isStep),
    savepoint: () => remote.savepoint(),
    rollbackWork: () => remote.rollbackWork(),
    rollback: () => remote.rollback(),
    async commit() {
      try {
        const generation = await remote.commit();
        if (generation !== undefined) await onGeneration(generation);
      } catch (error) {
        if (writer.alive && !isOutcomeUnknown(error)) throw error;
        onFatal(error instanceof Error ? error : new Error(String(error)));
        // A reply would promise that nothing changed, and further work might remove content.
        await new Promise(() => {});
      }
    },
  });
}
