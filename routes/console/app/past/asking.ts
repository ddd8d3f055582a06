/** The questions about the past of a file or folder. */

import { type ComponentChild, h, type TargetedEvent } from "preact";
import type { TagEntry } from "../../../../schemas/tags.ts";
import { call } from "../shared/api.ts";
import { isWithin, nameOf } from "../shared/paths.ts";
import { linkWith } from "../shared/router.ts";
import { keepsHistory } from "../shared/session.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { ask } from "../ui/dialog.ts";
import { toast } from "../ui/toasts.ts";
import { nameOfState } from "./words.ts";

/** What a file or folder is called in a question. */
function named(path: string): string {
  return path === "" ? "the top folder" : `“${nameOf(path)}”`;
}

/** Asks where to, and brings a file or folder back as it was. */
export function askToRestore(path: string, at: string): void {
  const wanted = { destination: path, force: false };
  ask({
    title: `Restore ${named(path)} as of ${nameOfState(at)}?`,
    action: "Restore",
    body: () => [
      h(Field, {
        key: "to",
        label: "To",
        value: path,
        onText: (text) => wanted.destination = text.trim(),
      }),
      h(
        "label",
        { key: "force", class: "check" },
        h("input", {
          type: "checkbox",
          onChange: (event: TargetedEvent<HTMLInputElement>) =>
            wanted.force = event.currentTarget.checked,
        }),
        "Replace what is there",
      ),
    ],
    run: async () => {
      const { destination, force } = wanted;
      const own = destination === path ? {} : { destination };
      await call("POST", "/resources/restore", { json: { path, at, force, ...own } });
      toast(`Restored “${nameOf(destination)}”`);
    },
  });
}

/** Asks for a name for a file or folder as it is, or was. */
export function askForTag(path: string, at?: string): void {
  const wanted = { name: "", message: "" };
  ask({
    title: `New tag of ${named(path)}`,
    action: "Create",
    body: () => [
      h(
        "p",
        { key: "what" },
        at === undefined
          ? "It names what is here now"
          : `It names what was here as of ${nameOfState(at)}`,
        ", and keeps it for as long as the tag is there. It counts against the quota.",
      ),
      h(Field, { key: "name", label: "Name", onText: (text) => wanted.name = text.trim() }),
      h(Field, {
        key: "message",
        label: "Message",
        isOptional: true,
        onText: (text) => wanted.message = text.trim(),
      }),
    ],
    run: async () => {
      const { name, message } = wanted;
      const json = { name, path, ...(at !== undefined && { at }), ...(message && { message }) };
      await call("POST", "/tags/", { json });
      toast(`Made the tag “${name}”`);
    },
  });
}

/** Asks which state of a folder to show: by a tag, or with history by a time. */
export function askForState(path: string): void {
  const wanted: { tag?: TagEntry | undefined; time: string } = { time: "" };
  ask({
    title: "Look at what was",
    action: "Show",
    body: () => h(StateForm, { wanted }),
    run: () => {
      const { tag, time } = wanted;
      if (tag === undefined && time === "") {
        return Promise.reject(
          new Error(keepsHistory() ? "Choose a tag or a time" : "Choose a tag"),
        );
      }
      const at = tag?.name ?? new Date(time).toISOString();
      // A tag has what is at its path, and nothing else.
      const shown = tag === undefined || isWithin(path, tag.path) ? path : tag.path;
      // The page of a file leads on to a folder.
      location.hash = linkWith(shown === "" ? "files" : "file", shown, { at });
      return Promise.resolve();
    },
  });
}

function StateForm(
  { wanted }: { readonly wanted: { tag?: TagEntry | undefined; time: string } },
): ComponentChild {
  const loading = useLoaded(
    async (signal) => {
      const query = { limit: "1000" };
      return await call<{ items: readonly TagEntry[] }>("GET", "/tags/", { query, signal });
    },
    [],
  );
  return [
    h(Await<{ items: readonly TagEntry[] }>, {
      key: "tags",
      loading,
      what: "tags",
      children: ({ items }) =>
        items.length === 0 ? h("p", { class: "muted" }, "There are no tags.") : h(
          "label",
          { class: "field" },
          h("span", null, "Tag"),
          h(
            "select",
            {
              onChange: ({ currentTarget }: TargetedEvent<HTMLSelectElement>) =>
                wanted.tag = items.find(({ name }) => name === currentTarget.value),
            },
            h("option", { value: "" }, "None"),
            items.map(({ id, name, path }) =>
              h("option", { key: id, value: name }, path === "" ? name : `${name} (${path})`)
            ),
          ),
        ),
    }),
    keepsHistory() && h(Field, {
      key: "time",
      label: "Or a time",
      type: "datetime-local",
      isOptional: true,
      onText: (text) => wanted.time = text,
    }),
  ];
}

function Field(
  { label, value = "", type = "text", isOptional = false, onText }: {
    readonly label: string;
    readonly value?: string;
    readonly type?: "text" | "datetime-local";
    readonly isOptional?: boolean;
    readonly onText: (text: string) => void;
  },
): ComponentChild {
  return h(
    "label",
    { class: "field" },
    h("span", null, label),
    h("input", {
      type,
      required: !isOptional,
      autocomplete: "off",
      spellcheck: false,
      defaultValue: value,
      onInput: (event: TargetedEvent<HTMLInputElement>) => onText(event.currentTarget.value),
    }),
  );
}
