import { CONSOLE } from "../shared/server_url.ts";
import { plural } from "../shared/format.ts";
import { session } from "../shared/session.ts";
import { toast } from "../ui/toasts.ts";
import { addUnfinished, continueWith } from "./queue.ts";
import { transfers, unfinished } from "./transfers.ts";
import { type FileFacts, isSameFile } from "./unfinished.ts";

/** What was not sent when the page was left, by what its window keeps. */
interface Rest {
  readonly user: number;
  readonly files: readonly RestFile[];
}

interface RestFile {
  readonly tree: number;
  readonly path: string;
  readonly file: FileFacts;
}

const KEY = `strongroom_rest ${CONSOLE}`;

/** Keeps which files were not sent when the page is left, and lists them after. Call it once. */
export function followRest(): void {
  addEventListener("pagehide", keepRest);
  session.subscribe(() => {
    const { value } = session;
    if (value.kind === "signedIn") showRest(value.session.user_id);
  });
}

function keepRest(): void {
  const { value } = session;
  if (value.kind !== "signedIn") return;
  const files: RestFile[] = [];
  for (const { id, item: { tree, path, state }, facts } of transfers.values()) {
    // Those that have begun are kept by their uploads.
    if (id === undefined && state !== "done" && state !== "failed") {
      files.push({ tree, path, file: facts });
    }
  }
  if (files.length === 0) return;
  const rest: Rest = { user: value.session.user_id, files };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(rest));
  } catch {
    // A browser that keeps nothing has asked before the page was left.
  }
}

function showRest(user: number): void {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (text === null) return;
  const rest: Rest = JSON.parse(text);
  // Another person's files are not shown.
  if (rest.user !== user) return;
  for (const { tree, path, file } of rest.files) {
    addUnfinished({ user, tree, path, file, onConflict: "error" }, 0);
  }
}

/** Goes on with the uploads whose files are in a folder that is chosen again. */
export function resumeFolder(files: readonly File[]): void {
  const byName = Map.groupBy(files, ({ name }) => name);
  let count = 0;
  for (const { item: { key, path }, facts } of unfinished()) {
    const file = byName.get(facts.name)?.find((it) =>
      isSameFile(facts, it) && `/${path}`.endsWith(`/${it.webkitRelativePath || it.name}`)
    );
    if (file !== undefined && continueWith(key, { file })) count++;
  }
  const left = unfinished().length;
  if (count === 0) toast("The folder has none of the files that are missing", { isError: true });
  else if (left > 0) {
    toast(`${plural(left, "file")} not in the folder, or changed since`, { isError: true });
  }
}
