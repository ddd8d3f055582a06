import type { MirrorEntry } from "../../../../schemas/mirror.ts";

/** A revision of a repository that a person asks for. */
export interface WantedRevision extends Pick<MirrorEntry, "repository" | "type"> {
  /** @default main */
  readonly revision?: string;
}

/**
 * What a person means: `google/gemma`, `google/gemma@v1.1`, `datasets/google/questions`, or the address of a page of
 * it at the other hub. Undefined if it is none of these.
 */
export function wantedRevision(text: string): WantedRevision | undefined {
  const trimmed = text.trim();
  const address = /^https?:/.test(trimmed) ? URL.parse(trimmed) : null;
  const name = address === null ? trimmed : nameIn(address.pathname);
  const [, kind, repository, revision] =
    /^(?:(models|datasets)\/)?([^/@:\s]+(?:\/[^/@:\s]+)?)(?:@([^\s]+))?$/.exec(name) ?? [];
  if (repository === undefined) return undefined;
  return {
    repository,
    type: kind === "datasets" ? "dataset" : "model",
    ...(revision !== undefined && { revision }),
  };
}

/** What the path of an address names. A revision may have slashes that are escaped; a file of it may follow. */
function nameIn(pathname: string): string {
  const segments = pathname.split("/").filter((it) => it !== "");
  const at = segments.findIndex((it) => ["tree", "blob", "resolve"].includes(it));
  if (at < 0) return segments.join("/");
  const revision = (segments[at + 1] ?? "").replaceAll(/%2f/gi, "/");
  return `${segments.slice(0, at).join("/")}@${revision}`;
}

/** What a repository is called: as it is asked for. */
export function repositoryLabel(
  { type, repository }: Pick<MirrorEntry, "type" | "repository">,
): string {
  return type === "dataset" ? `datasets/${repository}` : repository;
}
