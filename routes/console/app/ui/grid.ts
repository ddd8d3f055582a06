import { type ComponentChild, h, type TargetedEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { extended, remaining, selectionAfter, toggled } from "./grid_selection.ts";
import type { GridProps } from "./grid_props.ts";
import { GridRow } from "./grid_row.ts";
import { Icon } from "./icon.ts";
import { below } from "./menu.ts";
import { indexOfTyped, isLetter } from "./type_ahead.ts";
import { showRow, useVisibleRows } from "./visible_rows.ts";

/**
 * A table of any length that is used like a list of files: it renders the visible rows only. The focus is on
 * the grid, which names the active row.
 */
export function Grid<Row>(props: GridProps<Row>): ComponentChild {
  const { label, columns, rows, idOf, selection } = props;
  const box = useRef<HTMLDivElement>(null);
  const { first, last, rowHeight } = useVisibleRows(box, rows.length);
  const prefix = `grid-${label.replaceAll(/\W+/g, "-")}`;
  const activeIndex = selection.active === undefined
    ? -1
    : rows.findIndex((row) => idOf(row) === selection.active);
  const anchor = useRef<number | undefined>(undefined);
  const lastIndex = useRef(0);
  if (activeIndex >= 0) lastIndex.current = activeIndex;
  const isGone = selection.active !== undefined && activeIndex < 0 && rows.length > 0;
  useEffect(() => {
    if (isGone) props.onSelect(remaining(props, lastIndex.current));
  }, [isGone]);
  useEffect(() => {
    const { activeElement } = document;
    const isFree = activeElement === document.body || activeElement?.id === "main";
    if (props.enterAt === undefined || !isFree) return;
    const index = Math.max(0, rows.findIndex(props.enterAt));
    const row = rows[index];
    // The focus makes the first row the active one.
    box.current?.focus({ preventScroll: true });
    if (row !== undefined) props.onSelect({ ids: selection.ids, active: idOf(row) });
    showRow(box.current, index, rowHeight);
  }, []);
  useEffect(() => {
    if (box.current !== null && props.scroll !== undefined) {
      box.current.scrollTop = props.scroll.top;
    }
  }, []);
  const typed = useRef({ text: "", at: 0 });
  const isActiveShown = activeIndex >= first && activeIndex < last;

  const select = (
    index: number,
    event: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean },
  ) => {
    const row = rows[index];
    if (row === undefined) return;
    props.onSelect(selectionAfter(props, { index, from: anchor.current ?? index, event }));
    if (!event.shiftKey) anchor.current = index;
    showRow(box.current, index, rowHeight);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const next = indexAfter(event, activeIndex, rows.length, box.current, rowHeight);
    if (next !== undefined) {
      event.preventDefault();
      // With Control, the active row moves and the selection stays.
      const active = rows[next];
      if (event.ctrlKey && active !== undefined) {
        props.onSelect({ ...selection, active: idOf(active) });
        showRow(box.current, next, rowHeight);
      } else select(next, event);
      return;
    }
    const row = rows[activeIndex];
    if (isMenuKey(event)) {
      event.preventDefault();
      const element = document.getElementById(`${prefix}-${selection.active}`);
      if (row !== undefined && element !== null) props.onMenu?.(row, below(element));
    } else if (event.key === "Enter" && row !== undefined) {
      event.preventDefault();
      props.onOpen(row);
    } else if (event.key === " " && row !== undefined) {
      event.preventDefault();
      props.onSelect(toggled(selection, idOf(row)));
      anchor.current = activeIndex;
    } else if (event.key === "a" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      props.onSelect({ ids: new Set(rows.map(idOf)), active: selection.active });
    } else if (event.key === "Escape" && selection.ids.size > 0) {
      props.onSelect({ ids: new Set(), active: selection.active });
    } else if (isLetter(event)) {
      const index = indexOfTyped(typed.current, event, { rows, activeIndex, nameOf: props.nameOf });
      if (index >= 0) select(index, event);
    } else props.onKey?.(event);
  };

  const visible = [];
  for (let index = first; index < last; index++) {
    const row = rows[index];
    if (row === undefined) break;
    visible.push(h(GridRow<Row>, {
      key: idOf(row),
      ...{ props, row, index, prefix },
      top: index * rowHeight,
      onPick: (event) => select(index, event),
      onCheck: (event) => {
        // The keys are those of the grid. The focus may make the first row the active one.
        box.current?.focus({ preventScroll: true });
        const from = anchor.current;
        props.onSelect(
          event.shiftKey && from !== undefined
            ? extended(props, { index, from })
            : toggled(selection, idOf(row)),
        );
        anchor.current = index;
      },
      onMenu: (at) => {
        // The menu gives the focus back to the grid, with this row as the active one.
        box.current?.focus({ preventScroll: true });
        const id = idOf(row);
        const { ids } = selection;
        props.onSelect({ ids: ids.has(id) ? ids : new Set([id]), active: id });
        props.onMenu?.(row, at);
      },
    }));
  }
  return h(
    "div",
    {
      ref: box,
      class: "grid",
      role: "grid",
      tabIndex: 0,
      "aria-label": label,
      "aria-rowcount": rows.length + 1,
      "aria-colcount": columns.length + (props.onMenu === undefined ? 1 : 2),
      "aria-multiselectable": true,
      ...(isActiveShown && { "aria-activedescendant": `${prefix}-${selection.active}` }),
      onKeyDown,
      onScroll: ({ currentTarget }: TargetedEvent<HTMLDivElement>) => {
        if (props.scroll !== undefined) props.scroll.top = currentTarget.scrollTop;
      },
      onFocus: (event: FocusEvent) => {
        const [row] = rows;
        if (event.target !== event.currentTarget || activeIndex >= 0 || row === undefined) return;
        props.onSelect({ ...selection, active: idOf(row) });
      },
    },
    h(GridHead<Row>, { props }),
    h(
      "div",
      { class: "grid-body", role: "rowgroup", style: { height: `${rows.length * rowHeight}px` } },
      visible,
    ),
  );
}

function GridHead<Row>({ props }: { readonly props: GridProps<Row> }): ComponentChild {
  const { rows, columns, selection, idOf, onSort } = props;
  const all = rows.length > 0 && selection.ids.size >= rows.length;
  return h(
    "div",
    { class: "grid-head", role: "rowgroup" },
    h(
      "div",
      { class: "grid-row", role: "row", "aria-rowindex": 1 },
      h(
        "div",
        { class: "cell cell-check", role: "columnheader" },
        h("input", {
          type: "checkbox",
          "aria-label": "Select all",
          checked: all,
          indeterminate: !all && selection.ids.size > 0,
          disabled: rows.length === 0,
          onChange: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
            // The keys are those of the grid.
            currentTarget.closest<HTMLElement>(".grid")?.focus({ preventScroll: true });
            props.onSelect({
              ids: all ? new Set() : new Set(rows.map(idOf)),
              active: selection.active ?? rows.map(idOf)[0],
            });
          },
        }),
      ),
      columns.map(({ id, title, sort }) =>
        h(
          "div",
          {
            key: id,
            class: `cell cell-${id}`,
            role: "columnheader",
            ...(sort !== undefined && { "aria-sort": sort }),
          },
          sort === undefined ? title : h(
            "button",
            { type: "button", class: `sort sort-${sort}`, onClick: () => onSort?.(id) },
            title,
            h(Icon, { name: "chevron" }),
          ),
        )
      ),
      props.onMenu !== undefined &&
        h(
          "div",
          { class: "cell cell-menu", role: "columnheader" },
          h("span", { class: "visually-hidden" }, "Actions"),
        ),
    ),
  );
}

/** Whether a key asks for a menu. */
function isMenuKey({ key, shiftKey }: KeyboardEvent): boolean {
  return key === "ContextMenu" || key === "F10" && shiftKey;
}

/** The row that a key goes to. */
function indexAfter(
  { key }: KeyboardEvent,
  index: number,
  count: number,
  box: HTMLElement | null,
  rowHeight: number,
): number | undefined {
  const page = Math.max(1, Math.floor((box?.clientHeight ?? 0) / rowHeight) - 2);
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: count - 1,
  };
  const next = moves[key];
  return next === undefined || count === 0 ? undefined : Math.min(count - 1, Math.max(0, next));
}
