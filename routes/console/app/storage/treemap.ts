import { type ComponentChild, h } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { EntryShares } from "../../../../schemas/shares.ts";
import { bytes, count, plural, share } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { Icon } from "../ui/icon.ts";
import { type Box, treemap } from "./layout.ts";

/** Pixels. A cell that is smaller can hardly be pointed at. */
const HEIGHT = 320;
const MIN_SIDE = 28;
/** Cells at most: each is a stop of the keyboard. */
const MAX_CELLS = 24;
/** What a cell has room for its name, and for its size below. */
const NAMED = { width: 72, height: 28 };
const SIZED = { width: 72, height: 52 };

type Item = EntryShares["items"][number];
type Rest = EntryShares["others"];

interface Cells {
  readonly items: readonly Item[];
  /** What has no cell of its own. */
  readonly rest: Rest;
  /** Those of the items, and of the rest if it takes anything. */
  readonly boxes: readonly Box[];
}

/** What is in a folder as areas, each a link: folders to what is in them, files to their pages. */
export function Treemap({ shares }: { readonly shares: EntryShares }): ComponentChild {
  const element = useRef<HTMLUListElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const { items, rest, boxes } = useMemo(() => cellsOf(shares, width), [shares, width]);
  const total = totalOf(shares);
  return h(
    "ul",
    { class: "treemap", ref: element, "aria-label": "Sizes as areas" },
    items.map((item, index) => {
      const box = boxes[index];
      if (box === undefined) return null;
      const { name, path, is_dir: isDir, bytes: size, files } = item;
      const more = [share(size, total), ...(isDir ? [plural(files, "file")] : [])].join(", ");
      return h(
        "li",
        { key: path, style: place(box) },
        h(
          "a",
          {
            class: isDir ? "treemap-folder" : "treemap-file",
            href: linkTo(isDir ? "storage" : "file", path),
            title: `${name}, ${bytes(size)}, ${more}`,
          },
          h(
            "span",
            { class: fits(box, NAMED) ? "treemap-name" : "visually-hidden" },
            h(Icon, { name: isDir ? "folder" : "file" }),
            h("bdi", null, name),
          ),
          h("span", { class: fits(box, SIZED) ? "number" : "visually-hidden" }, bytes(size)),
          h("span", { class: "visually-hidden" }, more),
        ),
      );
    }),
    h(Others, { rest, box: boxes[items.length] }),
  );
}

/** What has no cell of its own, together. */
function Others(
  { rest, box }: { readonly rest: Rest; readonly box: Box | undefined },
): ComponentChild {
  if (box === undefined) return null;
  const words = `${plural(rest.parts, "other")}, ${bytes(rest.bytes)}`;
  return h(
    "li",
    { style: place(box) },
    h(
      "span",
      { class: `treemap-others${fits(box, NAMED) ? "" : " is-small"}`, title: words },
      h(
        "span",
        { class: fits(box, NAMED) ? "treemap-name" : "visually-hidden" },
        plural(rest.parts, "other"),
      ),
      h("span", { class: fits(box, SIZED) ? "number" : "visually-hidden" }, bytes(rest.bytes)),
    ),
  );
}

function fits({ width, height }: Box, room: Pick<Box, "width" | "height">): boolean {
  return width >= room.width && height >= room.height;
}

function place({ x, y, width, height }: Box) {
  return { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
}

/** As many cells as can be pointed at: the largest entries, and the others together. */
function cellsOf({ items, others }: EntryShares, width: number): Cells {
  const whole = { x: 0, y: 0, width, height: HEIGHT };
  const shown = items.slice(0, MAX_CELLS).filter((it) => it.bytes > 0);
  for (;;) {
    const rest = restOf(items.slice(shown.length), others);
    // The others come last, whatever they take: they are not one of them.
    const values = [...shown.map((it) => it.bytes), ...(rest.bytes > 0 ? [rest.bytes] : [])];
    const boxes = width === 0 ? [] : inOrder(values, whole);
    const isClear = boxes.slice(0, shown.length).every((box) =>
      Math.min(box.width, box.height) >= MIN_SIDE
    );
    if (isClear || shown.length <= 1) return { items: shown, rest, boxes };
    shown.pop();
  }
}

/** Divides a rectangle as {@link treemap} does, for values in any order. */
function inOrder(values: readonly number[], whole: Box): Box[] {
  const order = values.map((_, index) => index).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  const boxes = treemap(order.map((index) => values[index] ?? 0), whole);
  const found: Box[] = [];
  order.forEach((index, at) => found[index] = boxes[at] ?? whole);
  return found;
}

/** What is not shown one by one. */
export function restOf(items: readonly Item[], others: Rest): Rest {
  return {
    parts: others.parts + items.length,
    files: others.files + items.reduce((sum, { files }) => sum + files, 0),
    bytes: others.bytes + items.reduce((sum, it) => sum + it.bytes, 0),
  };
}

/** What a folder takes. */
export function totalOf({ items, others }: Pick<EntryShares, "items" | "others">): number {
  return others.bytes + items.reduce((sum, it) => sum + it.bytes, 0);
}

/** `3 entries`, in words. */
export function entriesOf({ items, others }: EntryShares): string {
  const entries = items.length + others.parts;
  return `${count(entries)} ${entries === 1 ? "entry" : "entries"}`;
}
