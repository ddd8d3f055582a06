import { type ComponentChild, h, type TargetedMouseEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { nameOf, parentOf } from "../shared/paths.ts";
import { useStore } from "../shared/store.ts";
import { Icon } from "../ui/icon.ts";
import { showRow, useVisibleRows } from "../ui/visible_rows.ts";
import type { FolderRow, FolderTree } from "./folders.ts";

export interface FolderListProps {
  readonly label: string;
  readonly folders: FolderTree;
  /** The path of the folder that is shown or chosen. */
  readonly current: string;
  readonly onOpen: (path: string) => void;
  /** Attributes of a folder, such as handlers of drags. */
  readonly itemProps?: (path: string) => Record<string, unknown>;
}

/**
 * The tree of folders, of any number: it renders the visible rows only. The focus is on the tree, which names the
 * active row. Arrows move in it, as in trees of files elsewhere.
 */
export function FolderList(props: FolderListProps): ComponentChild {
  const { label, folders, current } = props;
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([""]));
  const [active, setActive] = useState(current);
  const version = useStore(folders.version);
  const rows = useMemo(() => folders.rows(open), [folders, open, version]);
  const { first, last, rowHeight } = useVisibleRows(box, rows.length);
  const prefix = `tree-${label.replaceAll(/\W+/g, "-")}`;
  const activeIndex = Math.max(0, rows.findIndex(({ path }) => path === active));
  useEffect(() => {
    setOpen((before) => new Set([...before, ...ancestorsOf(current)]));
    setActive(current);
  }, [current]);
  useEffect(() => {
    // What leads to it may have just been loaded.
    if (rows[activeIndex]?.path === current) showRow(box.current, activeIndex, rowHeight, 0);
  }, [current, activeIndex > 0]);
  const go = (index: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (row === undefined) return;
    setActive(row.path);
    showRow(box.current, rows.indexOf(row), rowHeight, 0);
  };
  const toggle = (path: string, isOpen: boolean) => {
    const after = new Set(open);
    if (isOpen) after.add(path);
    else after.delete(path);
    setOpen(after);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const path = rows[activeIndex]?.path ?? "";
    switch (event.key) {
      case "ArrowDown":
        go(activeIndex + 1);
        break;
      case "ArrowUp":
        go(activeIndex - 1);
        break;
      case "Home":
        go(0);
        break;
      case "End":
        go(rows.length - 1);
        break;
      case "ArrowRight":
        if (open.has(path)) go(activeIndex + 1);
        else toggle(path, true);
        break;
      case "ArrowLeft":
        if (open.has(path) && path !== "") toggle(path, false);
        else go(rows.findIndex((row) => row.path === parentOf(path)));
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
    "div",
    {
      ref: box,
      class: "folders",
      role: "tree",
      tabIndex: 0,
      "aria-label": label,
      ...(activeIndex >= first && activeIndex < last && {
        "aria-activedescendant": `${prefix}-${activeIndex}`,
      }),
      onKeyDown,
    },
    h(
      "div",
      { class: "folders-body", role: "none", style: { height: `${rows.length * rowHeight}px` } },
      rows.slice(first, last).map((row, index) =>
        h(FolderItem, {
          key: row.path,
          ...{ props, row, toggle },
          id: `${prefix}-${first + index}`,
          top: (first + index) * rowHeight,
          isOpen: open.has(row.path),
          isActive: first + index === activeIndex,
        })
      ),
    ),
  );
}

interface FolderItemProps {
  readonly props: FolderListProps;
  readonly row: FolderRow;
  readonly toggle: (path: string, isOpen: boolean) => void;
  readonly id: string;
  /** Where it is, in pixels. */
  readonly top: number;
  readonly isOpen: boolean;
  readonly isActive: boolean;
}

function FolderItem(
  { props, row, toggle, id, top, isOpen, isActive }: FolderItemProps,
): ComponentChild {
  const { current, onOpen, itemProps } = props;
  const { path, level, position, size } = row;
  const isCurrent = path === current;
  return h(
    "div",
    {
      ...itemProps?.(path),
      id,
      role: "treeitem",
      "data-path": path,
      "aria-level": level,
      "aria-posinset": position,
      "aria-setsize": size,
      "aria-expanded": isOpen,
      "aria-selected": isCurrent,
      class: `folder${isCurrent ? " is-current" : ""}${isActive ? " is-active" : ""}`,
      style: { paddingLeft: `${(level - 1) * 16 + 4}px`, transform: `translateY(${top}px)` },
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
  );
}

function ancestorsOf(path: string): string[] {
  const found = [""];
  for (let it = parentOf(path); it !== ""; it = parentOf(it)) found.push(it);
  return found;
}
