/** A table of a text. */
export interface TextTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Columns that are read of a row. */
const MAX_COLUMNS = 200;
const SEPARATORS = [",", ";", "\t", "|"];

/** What separates the values: what the first line has most of. */
export function separatorOf(text: string): string {
  const end = text.indexOf("\n");
  const line = end === -1 ? text : text.slice(0, end);
  const counts = SEPARATORS.map((it) => line.split(it).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/**
 * Reads values that are separated and may be quoted (RFC 4180). The first row has the titles.
 *
 * @param isCut Whether the text goes on, so that its last row is not whole.
 */
export function readCsv(
  text: string,
  { separator, isCut }: { readonly separator: string; readonly isCut: boolean },
): TextTable {
  const rows: string[][] = [];
  let row: string[] = [];
  const add = (value: string) => row.length < MAX_COLUMNS && row.push(value);
  for (let at = 0; at < text.length;) {
    const { value, end } = text[at] === '"' ? quoted(text, at) : plain(text, at, separator);
    add(value);
    at = end;
    if (text[at] === separator) {
      at++;
      if (at < text.length) continue;
      add("");
    }
    if (text[at] === "\r") at++;
    if (text[at] === "\n") at++;
    rows.push(row);
    row = [];
  }
  if (isCut && rows.length > 1) rows.pop();
  const [header = [], ...rest] = rows;
  return { header, rows: rest };
}

interface Value {
  readonly value: string;
  /** Where what follows it begins. */
  readonly end: number;
}

function plain(text: string, start: number, separator: string): Value {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== "\n") end++;
  const value = text.slice(start, end);
  return { value: value.endsWith("\r") ? value.slice(0, -1) : value, end };
}

function quoted(text: string, start: number): Value {
  let value = "";
  for (let from = start + 1;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return { value: value + text.slice(from), end: text.length };
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}
