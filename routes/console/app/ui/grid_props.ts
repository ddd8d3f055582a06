import type { ComponentChild } from "preact";
import type { GridSelection } from "./grid_selection.ts";
import type { MenuPlace } from "./menu.ts";

/** A column of a grid. */
export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChild;
  /** The order by this column, if it can be sorted. */
  readonly sort?: "ascending" | "descending" | "none";
}

/** What a grid shows, and what it tells. */
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
  /** Opens the menu of a row. @default rows have none */
  readonly onMenu?: (row: Row, at: MenuPlace) => void;
  /** A key that the grid does not use itself. */
  readonly onKey?: (event: KeyboardEvent) => void;
  /** Takes the focus if no element of the page has it, with this row as the active one. @default takes none */
  readonly enterAt?: ((row: Row) => boolean) | undefined;
  /** How far it is scrolled, in pixels: at first, and since. @default it begins with its first row */
  readonly scroll?: { top: number };
  /** Attributes of a row, such as handlers of drags. */
  readonly rowProps?: (row: Row) => Record<string, unknown>;
}
