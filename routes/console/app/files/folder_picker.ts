import { type ComponentChild, h, type TargetedEvent } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { FolderTree } from "./folders.ts";
import { FolderList } from "./folder_list.ts";

/** Picks a folder of the tree, or a new one by its path. */
export function FolderPicker(
  { onPick }: { readonly onPick: (path: string) => void },
): ComponentChild {
  const [path, setPath] = useState("");
  const folders = useMemo(() => new FolderTree(), []);
  useEffect(() => () => folders[Symbol.dispose](), []);
  const pick = (chosen: string) => {
    setPath(chosen);
    onPick(chosen);
  };
  return h(
    "div",
    { class: "picker" },
    h(
      "label",
      { class: "field" },
      h("span", null, "Folder"),
      h("input", {
        type: "text",
        value: path,
        placeholder: "The top folder",
        autocomplete: "off",
        spellcheck: false,
        autofocus: true,
        onInput: (event: TargetedEvent<HTMLInputElement>) => pick(event.currentTarget.value),
      }),
    ),
    h(
      "div",
      { class: "picker-tree" },
      h(FolderList, { folders, current: path, onOpen: pick, label: "Folders to choose from" }),
    ),
  );
}
