import { type ComponentChild, h, type TargetedMouseEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import {
  extended,
  type GridSelection,
  remaining,
  selectionAfter,
  toggled,
} from "./grid_selection.ts";
import { Icon } from "./icon.ts";
import { indexOfTyped, isLetter } from "./type_ahead.ts";
import { showRow, useVisibleRows } from "./visible_rows.ts";

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChild;
  /** The order by this column, if it can be sorted. */
  readonly sort?: "ascending" | "descending" | "none";
}

export interface GridProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => number;
  readonly nameOf: (row: Row) => string;
  readonly selection: GridSelection;
  readonly onSelect: (selection: GridSelection) => void;
  readonly onOpen: (row: Row) => void;
  readonly onSort?: (column: string) => void;
  /** A key that the grid does not use itself. */
  readonly onKey?: (event: KeyboardEvent) => void;
  /** Takes the focus if no element of the page has it, with this row as the active one. @default takes none */
  readonly enterAt?: ((row: Row) => boolean) | undefined;
  /** Attributes of a row, such as handlers of drags. */
  readonly rowProps?: (row: Row) => Record<string, unknown>;
}

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
    if (event.key === "Enter" && row !== undefined) {
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
      "aria-colcount": columns.length + 1,
      "aria-multiselectable": true,
      ...(isActiveShown && { "aria-activedescendant": `${prefix}-${selection.active}` }),
      onKeyDown,
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
          onChange: () =>
            props.onSelect({
              ids: all ? new Set() : new Set(rows.map(idOf)),
              active: selection.active,
            }),
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
    ),
  );
}

interface GridRowProps<Row> {
  readonly props: GridProps<Row>;
  readonly row: Row;
  readonly index: number;
  readonly prefix: string;
  /** Where it is, in pixels. */
  readonly top: number;
  readonly onPick: (event: MouseEvent) => void;
  readonly onCheck: (event: MouseEvent) => void;
}

function GridRow<Row>(
  { props, row, index, prefix, top, onPick, onCheck }: GridRowProps<Row>,
): ComponentChild {
  const { columns, idOf, nameOf, selection, onOpen, rowProps } = props;
  const id = idOf(row);
  const isSelected = selection.ids.has(id);
  const isActive = selection.active === id;
  return h(
    "div",
    {
      ...rowProps?.(row),
      id: `${prefix}-${id}`,
      class: `grid-row${isSelected ? " is-selected" : ""}${isActive ? " is-active" : ""}`,
      role: "row",
      "aria-rowindex": index + 2,
      "aria-selected": isSelected,
      style: { transform: `translateY(${top}px)` },
      onClick: (event: TargetedMouseEvent<HTMLElement>) => {
        if (!isControl(event)) onPick(event);
      },
      onDblClick: (event: TargetedMouseEvent<HTMLElement>) => {
        if (!isControl(event)) onOpen(row);
      },
    },
    h(
      "div",
      { class: "cell cell-check", role: "gridcell" },
      h("input", {
        type: "checkbox",
        tabIndex: -1,
        "aria-label": `Select ${nameOf(row)}`,
        checked: isSelected,
        onClick: onCheck,
      }),
    ),
    columns.map((column) =>
      h(
        "div",
        { key: column.id, class: `cell cell-${column.id}`, role: "gridcell" },
        column.cell(row),
      )
    ),
  );
}

/** Whether an event belongs to a control within the row. */
function isControl({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest("a, button, input") !== null;
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
