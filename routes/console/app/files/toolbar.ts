import { type ComponentChild, h, type TargetedEvent } from "preact";
import { useRef } from "preact/hooks";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { plural } from "../shared/format.ts";
import { goTo } from "../shared/router.ts";
import { may, shownAt } from "../shared/session.ts";
import { canCheck, checks, setChecks } from "../uploads/checks.ts";
import { type Chosen, chosen } from "../uploads/dropped.ts";
import { useStore } from "../shared/store.ts";
import { below, openMenu } from "../ui/menu.ts";
import { folderActions } from "../past/menu.ts";
import { Button } from "../ui/button.ts";
import { askForFolder, askToDelete, askToRename, askWhereTo } from "./actions.ts";
import type { Asking } from "./asked.ts";
import { DownloadButtons } from "./download_buttons.ts";
import type { ShownVerdict } from "./shown_verdict.ts";

/** What the person should know of the list, and what ends a search. */
export function ListNote(
  { note, stop }: { readonly note?: string | undefined; readonly stop?: (() => void) | undefined },
): ComponentChild {
  return h(
    "div",
    { class: "list-note muted", role: "status" },
    note,
    stop !== undefined && h(Button, { label: "Stop", kind: "quiet", onClick: stop }),
  );
}

/** What can be done here: with the folder, or with what is selected. */
export function Toolbar(
  { path, selected, verdicts, asking, onFiles, onClear }: {
    readonly path: string;
    readonly selected: readonly ResourceEntry[];
    readonly verdicts: ReadonlyMap<number, ShownVerdict>;
    readonly asking: Asking;
    readonly onFiles: (chosen: Chosen) => void;
    readonly onClear: () => void;
  },
): ComponentChild {
  return h(
    "div",
    { class: "toolbar" },
    selected.length === 0
      ? h(FolderActions, { path, onFiles })
      : h(SelectionActions, { selected, verdicts, onClear }),
    // The search knows what is there now.
    shownAt.value === undefined && h(SearchBar, asking),
  );
}

/** Where the folder and all below it is searched: by words, and for models by their facts. */
function SearchBar({ words, asked, type, ask }: Asking): ComponentChild {
  const findsModels = asked.conditions.kind === "model";
  return h(
    "div",
    { class: "search-bar", role: "search" },
    h("input", {
      class: "search",
      "aria-keyshortcuts": "/",
      type: "search",
      "aria-label": "Search in this folder and below",
      placeholder: "Search names, facts and cards",
      value: words,
      autocomplete: "off",
      spellcheck: false,
      onInput: (event: TargetedEvent<HTMLInputElement>) => type(event.currentTarget.value),
    }),
    h(Button, {
      label: "Find models",
      pressed: findsModels,
      onClick: () => ask({ words, conditions: findsModels ? {} : { kind: "model" } }),
    }),
  );
}

function FolderActions(
  { path, onFiles }: {
    readonly path: string;
    readonly onFiles: (chosen: Chosen) => void;
  },
): ComponentChild {
  return h(
    "div",
    { class: "actions", role: "group", "aria-label": "This folder" },
    may("resources.upload") && [
      h(FilePicker, { key: "files", label: "Upload files", isFolder: false, onFiles }),
      h(FilePicker, { key: "folder", label: "Upload folder", isFolder: true, onFiles }),
      canCheck && h(ChecksSwitch, { key: "checks" }),
    ],
    may("resources.edit") &&
      h(Button, { label: "New folder", icon: "folderPlus", onClick: () => askForFolder(path) }),
    h(FolderMenu, { path }),
  );
}

/** What leads to the past of the folder, and to what is kept of the tree. */
function FolderMenu({ path }: { readonly path: string }): ComponentChild {
  const label = "More actions for this folder";
  return h(Button, {
    label,
    icon: "dots",
    iconOnly: true,
    hasMenu: true,
    onClick: ({ currentTarget }) => {
      if (!(currentTarget instanceof Element)) return;
      openMenu({ label, items: folderActions(path), at: below(currentTarget) });
    },
  });
}

/** Whether files are checked in this browser before they are sent. */
function ChecksSwitch(): ComponentChild {
  return h(
    "label",
    { class: "check", title: "The scanner runs in this browser. The server scans for itself." },
    h("input", {
      type: "checkbox",
      checked: useStore(checks),
      onChange: (event: TargetedEvent<HTMLInputElement>) => setChecks(event.currentTarget.checked),
    }),
    "Check files here first",
  );
}

function FilePicker(
  { label, isFolder, onFiles }: {
    readonly label: string;
    readonly isFolder: boolean;
    readonly onFiles: (chosen: Chosen) => void;
  },
): ComponentChild {
  const field = useRef<HTMLInputElement>(null);
  return [
    h("input", {
      key: "field",
      ref: field,
      type: "file",
      hidden: true,
      multiple: true,
      webkitdirectory: isFolder,
      "aria-label": label,
      onChange: (event: TargetedEvent<HTMLInputElement>) => {
        const { currentTarget } = event;
        if (currentTarget.files !== null) onFiles(chosen(currentTarget.files));
        // The same files can be chosen again.
        currentTarget.value = "";
      },
    }),
    h(Button, {
      key: "button",
      label,
      icon: isFolder ? "folder" : "upload",
      kind: isFolder ? "plain" : "primary",
      onClick: () => field.current?.click(),
    }),
  ];
}

function SelectionActions(
  { selected, verdicts, onClear }: {
    readonly selected: readonly ResourceEntry[];
    readonly verdicts: ReadonlyMap<number, ShownVerdict>;
    readonly onClear: () => void;
  },
): ComponentChild {
  const [first] = selected;
  const mayEdit = may("resources.edit");
  return h(
    "div",
    { class: "actions", role: "group", "aria-label": "What is selected" },
    h(
      "span",
      { class: "selected-count", role: "status" },
      `${plural(selected.length, "item")} selected`,
    ),
    may("resources.download") &&
      h(DownloadButtons, {
        entries: selected,
        verdicts,
        onReason: ({ id, path }) => goTo("file", verdicts.get(id)?.path ?? path),
      }),
    mayEdit && [
      h(Button, {
        key: "move",
        label: "Move",
        icon: "move",
        onClick: () => askWhereTo("move", selected),
      }),
      h(Button, {
        key: "copy",
        label: "Copy",
        icon: "copy",
        onClick: () => askWhereTo("copy", selected),
      }),
    ],
    mayEdit && first !== undefined && selected.length === 1 &&
      h(Button, { label: "Rename", icon: "pencil", onClick: () => askToRename(first) }),
    may("resources.delete") &&
      h(Button, { label: "Delete", icon: "trash", onClick: () => askToDelete(selected) }),
    h(Button, {
      label: "Clear the selection",
      icon: "close",
      iconOnly: true,
      kind: "quiet",
      onClick: onClear,
    }),
  );
}
