import { type ComponentChild, h, type TargetedMouseEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { join, nameOf, parentOf } from "../shared/paths.ts";
import { useStore } from "../shared/store.ts";
import { Icon } from "../ui/icon.ts";
import type { FolderTree } from "./folders.ts";

export interface FolderListProps {
  readonly label: string;
  readonly folders: FolderTree;
  /** The path of the folder that is shown or chosen. */
  readonly current: string;
  readonly onOpen: (path: string) => void;
  /** Attributes of a folder, such as handlers of drags. */
  readonly itemProps?: (path: string) => Record<string, unknown>;
}

/** The tree of folders. Arrows move in it, as in trees of files elsewhere. */
export function FolderList(props: FolderListProps): ComponentChild {
  const { label, current } = props;
  const box = useRef<HTMLUListElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([""]));
  useEffect(() => setOpen((before) => new Set([...before, ...ancestorsOf(current)])), [current]);
  const toggle = (path: string, isOpen: boolean) =>
    setOpen((before) => {
      const after = new Set(before);
      if (isOpen) after.add(path);
      else after.delete(path);
      return after;
    });
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...box.current?.querySelectorAll<HTMLElement>("[data-path]") ?? []];
    const focused = items.findIndex((item) => item === document.activeElement);
    const path = items[focused]?.dataset.path;
    if (path === undefined) return;
    const go = (index: number) => items[Math.min(items.length - 1, Math.max(0, index))]?.focus();
    switch (event.key) {
      case "ArrowDown":
        go(focused + 1);
        break;
      case "ArrowUp":
        go(focused - 1);
        break;
      case "Home":
        go(0);
        break;
      case "End":
        go(items.length - 1);
        break;
      case "ArrowRight":
        if (open.has(path)) go(focused + 1);
        else toggle(path, true);
        break;
      case "ArrowLeft":
        if (open.has(path) && path !== "") toggle(path, false);
        else items.find((item) => item.dataset.path === parentOf(path))?.focus();
        break;
      case "Enter":
      case " ":
        props.onOpen(path);
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  return h(
    "ul",
    { ref: box, class: "folders", role: "tree", "aria-label": label, onKeyDown },
    h(FolderItem, { props, path: "", level: 1, open, toggle }),
  );
}

interface FolderItemProps {
  readonly props: FolderListProps;
  readonly path: string;
  readonly level: number;
  readonly open: ReadonlySet<string>;
  readonly toggle: (path: string, isOpen: boolean) => void;
}

function FolderItem({ props, path, level, open, toggle }: FolderItemProps): ComponentChild {
  const { current, onOpen, itemProps } = props;
  const isOpen = open.has(path);
  const isCurrent = path === current;
  return h(
    "li",
    { role: "none" },
    h(
      "div",
      {
        ...itemProps?.(path),
        role: "treeitem",
        "data-path": path,
        "aria-level": level,
        "aria-expanded": isOpen,
        "aria-selected": isCurrent,
        tabIndex: isCurrent ? 0 : -1,
        class: `folder${isCurrent ? " is-current" : ""}`,
        style: { paddingLeft: `${(level - 1) * 16 + 4}px` },
        onClick: (event: TargetedMouseEvent<HTMLElement>) => {
          const isChevron = event.target instanceof Element &&
            event.target.closest(".folder-chevron") !== null;
          if (isChevron) toggle(path, !isOpen);
          else onOpen(path);
        },
      },
      h(
        "span",
        { class: `folder-chevron${isOpen ? " is-open" : ""}` },
        h(Icon, { name: "chevron" }),
      ),
      h(Icon, { name: "folder" }),
      h("span", { class: "folder-name" }, path === "" ? "Top folder" : nameOf(path)),
    ),
    isOpen && h(FolderChildren, { props, path, level, open, toggle }),
  );
}

function FolderChildren({ props, path, level, open, toggle }: FolderItemProps): ComponentChild {
  const names = useStore(props.folders.of(path)) ?? [];
  if (names.length === 0) return null;
  return h(
    "ul",
    { role: "group" },
    names.map((name) =>
      h(FolderItem, { key: name, props, path: join(path, name), level: level + 1, open, toggle })
    ),
  );
}

function ancestorsOf(path: string): string[] {
  const found = [""];
  for (let it = parentOf(path); it !== ""; it = parentOf(it)) found.push(it);
  return found;
}
