/** What is selected, and the row that keys act on. */
export interface GridSelection {
  readonly ids: ReadonlySet<number>;
  /** The id of the row that keys act on. */
  readonly active: number | undefined;
}

export const NOTHING_SELECTED: GridSelection = { ids: new Set(), active: undefined };

/** What is left of a selection when rows are gone. In place of the active one, keys act on the one at its index. */
export function remaining<Row>(
  { rows, idOf, selection }: SelectableRows<Row>,
  index: number,
): GridSelection {
  const there = new Set(rows.map(idOf));
  const instead = rows[Math.min(index, rows.length - 1)];
  const isThere = selection.active === undefined || there.has(selection.active);
  return {
    ids: selection.ids.intersection(there),
    active: isThere ? selection.active : instead && idOf(instead),
  };
}

/** The rows of a grid, and what is selected of them. */
interface SelectableRows<Row> {
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => number;
  readonly selection: GridSelection;
}

/** The selection after a row was added, or removed if it was selected. */
export function toggled({ ids }: GridSelection, id: number): GridSelection {
  const after = new Set(ids);
  if (!after.delete(id)) after.add(id);
  return { ids: after, active: id };
}

/** The selection with all rows since the anchor. */
export function extended<Row>(
  { rows, idOf, selection }: SelectableRows<Row>,
  { index, from }: { readonly index: number; readonly from: number },
): GridSelection {
  const range = rows.slice(Math.min(from, index), Math.max(from, index) + 1).map(idOf);
  const row = rows[index];
  return { ids: selection.ids.union(new Set(range)), active: row && idOf(row) };
}

/** The selection after a row was picked: alone, added, or with all since the anchor. */
export function selectionAfter<Row>(
  { rows, idOf, selection }: SelectableRows<Row>,
  { index, from, event }: {
    readonly index: number;
    readonly from: number;
    readonly event: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean };
  },
): GridSelection {
  const row = rows[index];
  if (row === undefined) return selection;
  const active = idOf(row);
  if (event.shiftKey) {
    const range = rows.slice(Math.min(from, index), Math.max(from, index) + 1);
    return { ids: new Set(range.map(idOf)), active };
  }
  return event.ctrlKey || event.metaKey
    ? toggled(selection, active)
    : { ids: new Set([active]), active };
}
