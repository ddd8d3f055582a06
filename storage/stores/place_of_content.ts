import type { DirectoryMark } from "../disk/directory_mark.ts";
import type { ContentSettings } from "./opening.ts";

/** Where content is, as the database remembers it: the endpoint of a store may change its name. */
export function placeOf(
  content: ContentSettings | undefined,
  { directory }: DirectoryMark,
): string {
  if (content === undefined) return `directory ${directory}`;
  return `s3://${content.location.bucket}/${content.location.prefix.replace(/\/$/, "")}`;
}

/** Whether a place is a data directory. */
export function isDirectory(place: string | undefined): boolean {
  return place?.startsWith("directory ") === true;
}

/** The error for settings that name another place than that of the content. */
export function elsewhere(place: string, dataDir: string): Error {
  if (!isDirectory(place)) {
    return new Error(
      `The content of the database is in ${place}: name that in STRONGROOM_CONTENT_URL`,
    );
  }
  return new Error(
    `The content of the database is in another data directory than "${dataDir}": name that one. ` +
      "Only one server can use such a database; several need STRONGROOM_CONTENT_URL. " +
      "If the other directory is lost, start once with: strongroom serve --accept-damage",
  );
}
