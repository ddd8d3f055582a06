import type { Chunk } from "../content.ts";
import { AppError, RetryLater } from "../errors.ts";
import { readRevision } from "./read_revision.ts";
import { type Hub, MAIN, type Repository } from "./repository.ts";

/** The most files of a repository that a list shows. */
const MAX_SIBLINGS = 1000;

/** What a list shows of a repository beside its name. */
export interface RepositoryDetails {
  readonly commitId: string;
  /** When something in it was last changed, in milliseconds since the Unix epoch; 0 without any file. */
  readonly modifiedAt: number;
  /** The files as JSON items, a comma before each. Undefined if there are too many. */
  readonly siblings: Chunk | undefined;
}

/** The state of a repository; undefined if it is gone, or its commit id is not known yet. */
export async function detailsOf(
  hub: Hub,
  repository: Repository,
): Promise<RepositoryDetails | undefined> {
  const { userId, directory } = repository;
  try {
    return await readRevision(
      hub,
      { repository, revision: MAIN },
      async ({ commitId, modifiedAt }) => {
        const page = await hub.store.page({
          ...{
            userId,
            directory,
            below: directory,
            recursive: true,
            after: "",
            limit: MAX_SIBLINGS,
          },
          form: {
            kind: "siblings",
            blobs: false,
            security: false,
            unscannedAs: hub.tree.verdicts.shown("unscanned"),
          },
        });
        return {
          commitId,
          modifiedAt,
          siblings: page.next === undefined ? page.text : undefined,
        };
      },
    );
  } catch (error) {
    const isGone = error instanceof AppError && error.kind === "ErrHubRepositoryNotFound";
    if (isGone || error instanceof RetryLater) return undefined;
    throw error;
  }
}
