import { h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { ApiError, call } from "../shared/api.ts";
import { plural } from "../shared/format.ts";
import { join, parentOf } from "../shared/paths.ts";
import { ask, askText } from "../ui/dialog.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import type { Chosen } from "../uploads/dropped.ts";
import { upload } from "../uploads/queue.ts";
import { FolderPicker } from "./folder_picker.ts";
import { MAX_PATH_CHARACTERS } from "./targets.ts";

/** The most paths that a request may name. */
const MAX_PATHS = 1000;

/** `model.bin`, or `3 files and folders`. */
export function named(entries: readonly ResourceEntry[]): string {
  const [first] = entries;
  if (entries.length === 1 && first !== undefined) return `“${first.name}”`;
  const directories = entries.filter(({ is_dir }) => is_dir).length;
  if (directories === 0) return plural(entries.length, "file");
  if (directories === entries.length) return plural(directories, "folder");
  return `${plural(entries.length, "file")} and folders`;
}

/** Uploads what was chosen to a folder. Says why if a folder in it cannot be made. */
export async function uploadTo(
  directory: string,
  { files, emptyFolders }: Chosen,
): Promise<void> {
  upload(files.map((chosen) => ({ ...chosen, path: join(directory, chosen.path) })));
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
    run: async (name) => {
      await call("POST", "/resources/mkdir", { json: { path: join(directory, name.trim()) } });
      toast(`Created “${name.trim()}”`);
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
      if (/[/\\]/.test(wanted)) throw new Error("A name has no slashes");
      const destination = join(parentOf(path), wanted);
      // To an existing folder, the API would move it into that.
      await refuseTaken(destination, wanted);
      await call("PUT", "/resources/move", { json: { source: path, destination } });
      toast(`Renamed to “${wanted}”`);
    },
  });
}

async function refuseTaken(path: string, name: string): Promise<void> {
  try {
    await call("GET", "/resources/stat", { query: { path } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return;
    throw error;
  }
  throw new Error(`“${name}” exists already`);
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
        "This cannot be undone.",
      ),
    run: async () => {
      const deleted: ResourceEntry[] = [];
      for (const part of partsOf(entries, MAX_PATH_CHARACTERS)) deleted.push(...await remove(part));
      const gone = entries.length - deleted.length;
      const rest = gone === 0 ? "" : `; ${gone === 1 ? "one was" : `${gone} were`} gone already`;
      toast(
        deleted.length === 0 ? "Nothing was left to delete" : `Deleted ${named(deleted)}${rest}`,
      );
    },
  });
}

/** Deletes what is still there, and returns it. @throws {ApiError} */
async function remove(entries: readonly ResourceEntry[]): Promise<readonly ResourceEntry[]> {
  try {
    await call("DELETE", "/resources/", { query: { "paths[]": entries.map(({ path }) => path) } });
    return entries;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    // One that is gone has the server delete none of them.
    if (entries.length === 1) return [];
  }
  const middle = Math.ceil(entries.length / 2);
  return [...await remove(entries.slice(0, middle)), ...await remove(entries.slice(middle))];
}

/** Asks where to, and moves or copies. */
export function askWhereTo(verb: "move" | "copy", entries: readonly ResourceEntry[]): void {
  let destination = "";
  const word = verb === "move" ? "Move" : "Copy";
  ask({
    title: `${word} ${named(entries)} to`,
    action: word,
    body: () => h(FolderPicker, { onPick: (path: string) => destination = path }),
    run: () => transfer(verb, entries, destination),
  });
}

/** Moves or copies into a folder. @throws {Error} when the server refuses, or a name is taken there. */
export async function transfer(
  verb: "move" | "copy",
  entries: readonly ResourceEntry[],
  destination: string,
): Promise<void> {
  const send = (json: unknown) =>
    call(verb === "move" ? "PUT" : "POST", `/resources/${verb}`, { json });
  for (const part of partsOf(entries)) {
    // The API takes a folder for one source as its new name, and copies nothing to the root.
    if (part.length > 1 && (verb === "move" || destination !== "")) {
      await send({ sources: part.map(({ path }) => path), destination });
      continue;
    }
    for (const { path, name } of part) {
      const target = join(destination, name);
      // Into a folder of this name, it would move or copy it.
      if (target !== path) await refuseTaken(target, name);
      await send({ source: path, destination: target });
    }
  }
  const to = destination === "" ? "the top folder" : `“${destination}”`;
  toast(`${verb === "move" ? "Moved" : "Copied"} ${named(entries)} to ${to}`);
}

/** Moves what was dropped on a folder. Says why if that fails. */
export function moveDropped(entries: readonly ResourceEntry[], destination: string): void {
  const moved = entries.filter(({ path }) =>
    parentOf(path) !== destination && path !== destination
  );
  if (moved.length === 0) return;
  transfer("move", moved, destination).catch((error) => toast(messageOf(error), { isError: true }));
}

/** As many parts as it takes for requests of so many paths, and of so many characters where they are in the address. */
function partsOf(
  entries: readonly ResourceEntry[],
  maxCharacters = Infinity,
): (readonly ResourceEntry[])[] {
  const parts: ResourceEntry[][] = [];
  let characters = Infinity;
  for (const entry of entries) {
    const { length } = encodeURIComponent(entry.path);
    characters += length;
    if (characters > maxCharacters || (parts.at(-1)?.length ?? MAX_PATHS) >= MAX_PATHS) {
      parts.push([]);
      characters = length;
    }
    parts.at(-1)?.push(entry);
  }
  return parts;
}
