import type { MirrorEntry } from "../../../../schemas/mirror.ts";

/** A revision of a repository that a person asks for. */
export interface WantedRevision extends Pick<MirrorEntry, "repository" | "type"> {
  /** @default main */
  readonly revision?: string;
}

/**
 * What a person means: `google/gemma`, `google/gemma@v1.1`, `datasets/google/questions`, or the address of such a
 * page at the other hub. Undefined if it is none of these.
 */
export function wantedRevision(text: string): WantedRevision | undefined {
  const name = text.trim().replace(/^https?:\/\/[^/]*\//, "").replace(/\/$/, "")
    .replace(/\/(?:tree|blob|resolve)\//, "@");
  const [, kind, repository, revision] =
    /^(?:(models|datasets)\/)?([^/@:\s]+(?:\/[^/@:\s]+)?)(?:@([^\s]+))?$/.exec(name) ?? [];
  if (repository === undefined) return undefined;
  return {
    repository,
    type: kind === "datasets" ? "dataset" : "model",
    ...(revision !== undefined && { revision }),
  };
}

/** What a repository is called: as it is asked for. */
export function repositoryLabel(
  { type, repository }: Pick<MirrorEntry, "type" | "repository">,
): string {
  return type === "dataset" ? `datasets/${repository}` : repository;
}
