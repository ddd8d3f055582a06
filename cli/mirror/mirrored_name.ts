import { UsageError } from "../usage_error.ts";
import type { MirrorEntry } from "../../schemas/mirror.ts";

/** A repository that an argument names, and a revision of it if it does. */
export interface MirroredName extends Pick<MirrorEntry, "repository" | "type"> {
  readonly revision: string | undefined;
}

/**
 * A name such as `google/gemma`, `google/gemma@v1` or `datasets/google/questions`.
 *
 * @throws {UsageError} when it is another one.
 */
export function mirroredName(given: string): MirroredName {
  const [, kind, repository, revision] =
    /^(?:(models|datasets)\/)?([^/@:]+(?:\/[^/@:]+)?)(?:@(.+))?$/.exec(given) ?? [];
  if (repository !== undefined) {
    return { type: kind === "datasets" ? "dataset" : "model", repository, revision };
  }
  throw new UsageError(`"${given}" is not the name of a repository, such as google/gemma`);
}

/** Whether a revision of the mirror is one that a name means: its commit may be cut. */
export function isMeant(
  { repository, type, revision }: MirroredName,
  entry: MirrorEntry,
): boolean {
  return entry.repository === repository && entry.type === type &&
    (revision === undefined || entry.commit.startsWith(revision));
}
