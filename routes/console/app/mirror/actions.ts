import { type ComponentChild, h } from "preact";
import type { MirrorEntry, MirrorFetch, MirrorFile } from "../../../../schemas/mirror.ts";
import { ApiError, call } from "../shared/api.ts";
import { bytes, plural } from "../shared/format.ts";
import { sleep } from "../shared/live.ts";
import { Button } from "../ui/button.ts";
import { ask } from "../ui/dialog.ts";
import { runJob } from "../ui/jobs.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { repositoryLabel } from "./names.ts";

/** How many files of a person come in at once. A server takes twice as many. */
const CONCURRENCY = 4;
/** When to ask again if the server does not say so, in seconds. */
const AGAIN_S = 3;

/** What an administrator does with a revision. */
export function RevisionButtons(
  { entry, onChange }: { readonly entry: MirrorEntry; readonly onChange: () => void },
): ComponentChild {
  const { pinned_at: pinnedAt, fetched_files: here } = entry;
  const describes = `${repositoryLabel(entry)} ${entry.commit.slice(0, 12)}`;
  return h(
    "div",
    { class: "row-actions" },
    h(Button, {
      label: pinnedAt === null ? "Pin" : "Unpin",
      describes,
      onClick: () => void pin(entry, pinnedAt === null, onChange),
    }),
    (here > 0 || pinnedAt !== null) && h(Button, {
      label: "Remove",
      describes,
      kind: "quiet",
      onClick: () => askToRemove(entry, onChange),
    }),
  );
}

async function pin(entry: MirrorEntry, pinned: boolean, then: () => void): Promise<void> {
  try {
    await call("PATCH", `/mirror/${entry.id}`, { inTree: false, json: { pinned } });
    toast(`${pinned ? "Pinned" : "Unpinned"} ${repositoryLabel(entry)}`);
    then();
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}

function askToRemove(entry: MirrorEntry, then: () => void): void {
  const { fetched_files: here, fetched_bytes: size } = entry;
  ask({
    title: `Remove ${repositoryLabel(entry)}?`,
    action: "Remove",
    kind: "danger",
    body: () =>
      h(
        "p",
        null,
        `${plural(here, "file")} (${
          bytes(size)
        }) of this revision will be gone from here, and come in again when ` +
          "somebody asks for them.",
      ),
    run: async () => {
      await call("DELETE", `/mirror/${entry.id}`, { inTree: false });
      toast(`Removed ${repositoryLabel(entry)}`);
      then();
    },
  });
}

/** Has files of a revision come in, after a question, and says what has become of that. */
export function askToFetch(
  entry: MirrorEntry,
  files: readonly MirrorFile[],
  then: () => void,
): void {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  ask({
    title: `Fetch ${plural(files.length, "file")}?`,
    action: "Fetch",
    body: () =>
      h("p", null, `${bytes(size)} come in, are scanned, and stay until others need the space.`),
    run() {
      fetchFiles(entry, files).catch((error) => toast(messageOf(error), { isError: true }))
        .finally(then);
      return Promise.resolve();
    },
  });
}

async function fetchFiles(entry: MirrorEntry, files: readonly MirrorFile[]): Promise<void> {
  const name = repositoryLabel(entry);
  const refused: string[] = [];
  const title = `Fetching ${plural(files.length, "file")} of ${name}`;
  const fetched = await runJob(title, files.length, async (signal, onProgress) => {
    let done = 0;
    const left = files.values();
    const work = async () => {
      for (const { path } of left) {
        const refusal = await fetchFile(entry, path, signal);
        if (signal.aborted) return;
        if (refusal !== undefined) refused.push(refusal);
        onProgress(++done);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return done - refused.length;
  });
  const [first] = refused;
  if (first === undefined) toast(`Fetched ${plural(fetched, "file")} of ${name}`);
  else {toast(`${plural(refused.length, "file was", "files were")} refused: ${first}`, {
      isError: true,
    });}
}

/** Has a file come in. Returns why it is refused, if it is. */
async function fetchFile(
  { id }: MirrorEntry,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Each request waits for the file for some seconds.
  while (!signal.aborted) {
    try {
      const { is_fetched: isFetched } = await call<MirrorFetch>("POST", `/mirror/${id}/fetches`, {
        ...{ inTree: false, signal },
        json: { path },
      });
      if (isFetched) return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 403) return error.message;
      if (error.status !== 429) throw error;
      await sleep((error.retryAfterS ?? AGAIN_S) * 1000, signal);
    }
  }
  return undefined;
}
