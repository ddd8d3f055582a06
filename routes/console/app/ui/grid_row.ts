import { type ComponentChild, h, type TargetedMouseEvent } from "preact";
import { Button } from "./button.ts";
import type { GridProps } from "./grid_props.ts";
import { below, type MenuPlace } from "./menu.ts";

interface GridRowProps<Row> {
  readonly props: GridProps<Row>;
  readonly row: Row;
  readonly index: number;
  readonly prefix: string;
  /** Where it is, in pixels. */
  readonly top: number;
  readonly onPick: (event: MouseEvent) => void;
  readonly onCheck: (event: MouseEvent) => void;
  readonly onMenu: (at: MenuPlace) => void;
}

/** A row of a grid. */
export function GridRow<Row>(
  { props, row, index, prefix, top, onPick, onCheck, onMenu }: GridRowProps<Row>,
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
      onContextMenu: (event: MouseEvent) => {
        // With Shift, the menu of the browser is wanted.
        if (props.onMenu === undefined || event.shiftKey) return;
        event.preventDefault();
        onMenu({ x: event.clientX, y: event.clientY });
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
    props.onMenu !== undefined && h(
      "div",
      { class: "cell cell-menu", role: "gridcell" },
      h(Button, {
        label: "Actions for",
        describes: nameOf(row),
        icon: "dots",
        iconOnly: true,
        kind: "quiet",
        tabIndex: -1,
        hasMenu: true,
        onClick: ({ currentTarget }) => {
          if (currentTarget instanceof Element) onMenu(below(currentTarget));
        },
      }),
    ),
  );
}

/** Whether an event belongs to a control within the row. */
function isControl({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest("a, button, input") !== null;
}
