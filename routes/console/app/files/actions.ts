import { h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { cleanedPath } from "../../../../schemas/clean_path.ts";
import { ApiError, call } from "../shared/api.ts";
import { count } from "../shared/format.ts";
import { join, parentOf } from "../shared/paths.ts";
import { keepsHistory } from "../shared/session.ts";
import { ask, askText } from "../ui/dialog.ts";
import { runJob } from "../ui/jobs.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import type { Chosen, ChosenFile } from "../uploads/dropped.ts";
import { followFolder } from "../uploads/follow.ts";
import { upload } from "../uploads/queue.ts";
import { FolderPicker } from "./folder_picker.ts";
import { inParts, type Refusal } from "./in_parts.ts";
import { named, tellOutcome } from "./outcome.ts";
import { refuseTaken, undoOf, undoOfDeletion } from "./undo.ts";

/** Uploads what was chosen to a folder. Says why if a folder in it cannot be made. */
export async function uploadTo(
  directory: string,
  { files, emptyFolders }: Chosen,
): Promise<void> {
  void followFolder(directory);
  // The panel shows where the server will have them.
  const pathOf = ({ path }: ChosenFile) => cleanedPath(join(directory, path));
  void upload(files.map((chosen) => ({ ...chosen, path: pathOf(chosen) })));
  try {
    for (const path of emptyFolders) {
      await call("POST", "/resources/mkdir", { json: { path: join(directory, path) } });
    }
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}

/** Asks for a name and makes a folder. */
export function askForFolder(directory: string): void {
  askText({
    title: "New folder",
    label: "Name",
    action: "Create",
    run: async (typed) => {
      const name = typed.trim();
      assertName(name);
      const path = join(directory, name);
      // The API is content with a folder that is there.
      await refuseTaken(path);
      await call("POST", "/resources/mkdir", { json: { path } });
      toast(`Created “${name}”`);
    },
  });
}

/** Asks for a new name. */
export function askToRename({ name, path, is_dir: isDir }: ResourceEntry): void {
  const dot = name.lastIndexOf(".");
  askText({
    title: `Rename “${name}”`,
    label: "New name",
    action: "Rename",
    value: name,
    stem: isDir || dot < 1 ? name.length : dot,
    run: async (typed) => {
      const wanted = typed.trim();
      if (wanted === name) return;
      assertName(wanted);
      const destination = join(parentOf(path), wanted);
      // To an existing folder, the API would move it into that.
      await refuseTaken(destination);
      await call("PUT", "/resources/move", { json: { source: path, destination } });
      toast(`Renamed to “${wanted}”`, { undo: undoOf([{ from: path, to: destination }]) });
    },
  });
}

/** Checks a name before it becomes part of a path. @throws {Error} when it is invalid. */
function assertName(name: string): void {
  if (/[/\\]/.test(name)) throw new Error("A name has no slashes");
  if (name === "." || name === "..") throw new Error(`“${name}” is not a valid name`);
}

/** Asks, and deletes. */
export function askToDelete(entries: readonly ResourceEntry[]): void {
  const hasDirectory = entries.some(({ is_dir }) => is_dir);
  ask({
    title: `Delete ${named(entries)}?`,
    action: "Delete",
    kind: "danger",
    body: () =>
      h(
        "p",
        null,
        hasDirectory ? "Everything in it is deleted as well. " : "",
        keepsHistory() ? "It can be brought back from the trash." : "This cannot be undone.",
      ),
    run: () => goOn(entries, removeAll(entries)),
  });
}

async function remove(entries: readonly ResourceEntry[]): Promise<void> {
  await call("POST", "/resources/delete", { json: { paths: entries.map(({ path }) => path) } });
}

async function removeAll(entries: readonly ResourceEntry[]): Promise<void> {
  const { refused, ...outcome } = await runJob(
    `Deleting ${named(entries)}`,
    entries.length,
    (signal, onProgress) => inParts(entries, remove, { signal, onProgress }),
  );
  const isGone = ({ error }: Refusal) => error instanceof ApiError && error.status === 404;
  const gone = refused.filter(isGone).length;
  if (gone === entries.length) return toast("Nothing was left to delete");
  const rest = gone === 0 ? "" : `; ${gone === 1 ? "one was" : `${count(gone)} were`} gone already`;
  tellOutcome({ ...outcome, refused: refused.filter((it) => !isGone(it)) }, "Deleted", {
    rest,
    undo: undoOfDeletion(outcome.done.map(({ path }) => path)),
  });
}

/** Work on several entries goes on after the question, and says itself what has become of it. */
function goOn(entries: readonly ResourceEntry[], work: Promise<void>): Promise<void> {
  return entries.length === 1 ? work : Promise.resolve();
}

/** Asks where to, and moves or copies. */
export function askWhereTo(verb: "move" | "copy", entries: readonly ResourceEntry[]): void {
  let destination = "";
  const word = verb === "move" ? "Move" : "Copy";
  ask({
    title: `${word} ${named(entries)} to`,
    action: word,
    body: () => h(FolderPicker, { onPick: (path: string) => destination = path }),
    run: () => goOn(entries, transferAll(verb, entries, destination)),
  });
}

/** Moves or copies into a folder, and tells what has become of it. */
async function transferAll(
  verb: "move" | "copy",
  entries: readonly ResourceEntry[],
  destination: string,
): Promise<void> {
  const to = destination === "" ? "the top folder" : `“${destination}”`;
  const isAlone = verb === "copy" && destination === "";
  const outcome = await runJob(
    `${verb === "move" ? "Moving" : "Copying"} ${named(entries)} to ${to}`,
    entries.length,
    (signal, onProgress) =>
      inParts(entries, (part) => transfer(verb, part, destination), {
        signal,
        onProgress,
        // The API copies nothing to the root but one entry, by its new name.
        size: isAlone ? 1 : undefined,
      }),
  );
  const moves = outcome.done.map(({ path, name }) => ({ from: path, to: join(destination, name) }));
  tellOutcome(outcome, verb === "move" ? "Moved" : "Copied", {
    rest: ` to ${to}`,
    undo: verb === "move" ? undoOf(moves) : undefined,
  });
}

/** Moves or copies into a folder: all, or none. @throws {Error} when the server refuses, or a name is taken there. */
async function transfer(
  verb: "move" | "copy",
  entries: readonly ResourceEntry[],
  destination: string,
): Promise<void> {
  const send = (json: unknown) =>
    call(verb === "move" ? "PUT" : "POST", `/resources/${verb}`, { json });
  const [first, ...others] = entries;
  if (first === undefined) return;
  if (others.length > 0) {
    await send({ sources: entries.map(({ path }) => path), destination });
    return;
  }
  // The API takes a folder for one source as its new name.
  const target = join(destination, first.name);
  // Into a folder of this name, it would move or copy it.
  if (target !== first.path) await refuseTaken(target);
  await send({ source: first.path, destination: target });
}

/** Moves what was dropped on a folder. Says why if that fails. */
export function moveDropped(entries: readonly ResourceEntry[], destination: string): void {
  const moved = entries.filter(({ path }) =>
    parentOf(path) !== destination && path !== destination
  );
  if (moved.length === 0) return;
  transferAll("move", moved, destination).catch((error) =>
    toast(messageOf(error), { isError: true })
  );
}
