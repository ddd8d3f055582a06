/** A pause after which a letter begins a new word, in milliseconds. */
const TYPING_MS = 700;

/** Whether a key is part of a name. A slash is none, and a blank selects. */
export function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return [...key].length === 1 && !ctrlKey && !metaKey && !altKey && key !== "/" && key !== " " &&
    key !== "?";
}

/** The index of the next row whose name begins with what was typed; -1 if there is none. */
export function indexOfTyped<Row>(
  typed: { text: string; at: number },
  { key, timeStamp }: KeyboardEvent,
  { rows, activeIndex, nameOf }: {
    readonly rows: readonly Row[];
    readonly activeIndex: number;
    readonly nameOf: (row: Row) => string;
  },
): number {
  const goesOn = timeStamp - typed.at < TYPING_MS;
  typed.text = (goesOn ? typed.text : "") + key.toLowerCase();
  typed.at = timeStamp;
  // A first letter goes to the next row, as the active one may begin with it.
  const start = Math.max(0, goesOn ? activeIndex : activeIndex + 1);
  const begins = (row: Row) => nameOf(row).toLowerCase().startsWith(typed.text);
  const after = rows.findIndex((row, index) => index >= start && begins(row));
  return after >= 0 ? after : rows.findIndex(begins);
}
