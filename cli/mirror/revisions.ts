import { MirrorEntry, type MirrorFile, MirrorFileList, MirrorList } from "../../schemas/mirror.ts";
import type { Connection } from "../remote/connection.ts";
import type { MirroredName } from "./mirrored_name.ts";

const PAGE = 1000;

/** The revision that a name stands for, which the server asks of the other hub if it is due. */
export function askedRevision(
  connection: Connection,
  { repository, type, revision }: MirroredName,
): Promise<MirrorEntry> {
  const value = { repository, type, ...revision !== undefined && { revision } };
  return connection.json(MirrorEntry, "POST", "/mirror/", { value });
}

/** The revisions that the mirror keeps, newest first. */
export async function* keptRevisions(connection: Connection): AsyncGenerator<MirrorEntry> {
  let before: string | undefined;
  for (let isLast = false; !isLast;) {
    const query = { limit: String(PAGE), before };
    const { items } = await connection.json(MirrorList, "GET", "/mirror/", { query });
    yield* items;
    before = items.at(-1)?.id.toString();
    isLast = items.length < PAGE;
  }
}

/** The files of a revision, in path order. */
export async function* mirroredFiles(
  connection: Connection,
  { id }: MirrorEntry,
): AsyncGenerator<MirrorFile> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const query = { limit: String(PAGE), after };
    const page: MirrorFileList = await connection.json(
      MirrorFileList,
      "GET",
      `/mirror/${id}/files`,
      { query },
    );
    yield* page.items;
    after = page.next ?? undefined;
  }
}
