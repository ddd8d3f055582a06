import { counted } from "../terminal_text.ts";
import { entriesOf } from "./listing.ts";
import { printNote, written } from "../output.ts";

/**
 * Reads the entries that a request has changed: prints them as JSON, or counts them. The change is done
 * before its reply begins, so the reply is read to its end even if its entries are not needed.
 */
export async function readChanged(
  response: Response,
  { json }: { json: boolean },
): Promise<number> {
  let count = 0;
  let isRead = json;
  for await (const batch of entriesOf(response)) {
    count += batch.length;
    if (isRead) isRead = await written(batch.map((it) => `${JSON.stringify(it)}\n`).join(""));
  }
  return count;
}

/** Prints how many entries a command has changed, for a person who watches. */
export function printCount(verb: string, count: number): void {
  printNote(`${verb} ${counted(count, "entry", "entries")}`);
}
