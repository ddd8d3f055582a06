import { type ComponentChild, h } from "preact";
import { useRef } from "preact/hooks";
import type { StatEntry } from "../../../../schemas/verdicts.ts";
import { ApiError, call } from "../shared/api.ts";
import { bytes, plural } from "../shared/format.ts";
import { isOfResource } from "../shared/live.ts";
import { join, nameOf, parentOf } from "../shared/paths.ts";
import { mayIn } from "../shared/session.ts";
import { unless } from "../shared/unless.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { useLoaded } from "../ui/loaded.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { cancelUpload, resumeUpload, storeAs } from "./queue.ts";
import type { UploadItem } from "./transfer.ts";

/** How many other names are tried. */
const MAX_NAMES = 1000;

/** What is at the path of an upload. */
export function WhatIsThere({ tree, path }: UploadItem): ComponentChild {
  const id = useRef<number | undefined>(undefined);
  const { state } = useLoaded(
    async (signal) => {
      const there = await unless("ErrResourcesNotFound", statOf(tree, path, signal));
      id.current = there?.id;
      return there;
    },
    [tree, path],
    // Another file may come, or this one go elsewhere.
    (event) => isOfResource(event) && (event.data.path === path || event.data.id === id.current),
  );
  // Without an answer, it is only said that there is one.
  if (state.kind !== "loaded") return "There is a file of this name";
  if (state.data === undefined) return "There was a file of this name, which is gone now";
  const { is_dir: isDirectory, size, updated_at: at } = state.data;
  return isDirectory
    ? "There is a folder of this name"
    : [`There is a file of this name: ${bytes(size)}, changed `, h(Ago, { key: "at", at })];
}

/** What can be done about files that are there: each as far as the person may. */
export function ConflictActions(
  { items }: { readonly items: readonly UploadItem[] },
): ComponentChild {
  const [first, ...others] = items;
  if (first === undefined) return null;
  const all = others.length === 0 ? "" : " all";
  const describes = others.length === 0 ? { describes: nameOf(first.path) } : {};
  return [
    others.length > 0 &&
    h("span", { key: "how many" }, `${plural(items.length, "file")} are there already`),
    h(Button, {
      key: "skip",
      label: `Skip${all}`,
      ...describes,
      onClick: () => items.forEach(({ key }) => cancelUpload(key)),
    }),
    h(Button, {
      key: "keep",
      label: `Keep both${all === "" ? "" : " of all"}`,
      ...describes,
      onClick: () => void keepBoth(items),
    }),
    items.every(({ tree }) => mayIn(tree, "resources.edit")) && h(Button, {
      key: "replace",
      label: `Replace${all}`,
      ...describes,
      onClick: () => items.forEach(({ key }) => resumeUpload(key, "replace")),
    }),
  ];
}

/** Stores files under other names beside those that are there. */
async function keepBoth(items: readonly UploadItem[]): Promise<void> {
  for (const { key, tree, path } of items) {
    try {
      storeAs(key, await freeName(tree, path));
    } catch (error) {
      toast(messageOf(error), { isError: true });
    }
  }
}

/** A path such as `models/a (2).bin` at which there is nothing. */
async function freeName(tree: number, path: string): Promise<string> {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  const stem = dot < 1 ? name.length : dot;
  for (let number = 2; number <= MAX_NAMES; number++) {
    const other = `${name.slice(0, stem)} (${number})${name.slice(stem)}`;
    const wanted = join(parentOf(path), other);
    try {
      await statOf(tree, wanted);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return wanted;
      throw error;
    }
  }
  throw new Error(`“${name}” has too many namesakes`);
}

function statOf(tree: number, path: string, signal?: AbortSignal): Promise<StatEntry> {
  const query = { path, tree: String(tree) };
  return call<StatEntry>("GET", "/resources/stat", { query, signal, inTree: false });
}
