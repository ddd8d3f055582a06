import { entriesJson } from "../../core/entries.ts";
import type { ItemsJson, ResourceRecord } from "../../core/ports.ts";
import type { Page } from "./listing.ts";

/** A batch of a listing. */
export interface ListBatch {
  /** Its records, if the listing is one of records. */
  readonly records: readonly ResourceRecord[];
  /** Its text, if the listing is one of text. */
  readonly text: ItemsJson;
  /** Whether it is the last one. */
  readonly done: boolean;
}

/** What the batches of a listing have. */
export type ListForm = "records" | "text";

const NO_TEXT: ItemsJson = { json: new Uint8Array(), count: 0 };

/** Makes a batch of a page. */
export function batchOf({ records, done }: Page, form: ListForm): ListBatch {
  return form === "records"
    ? { records, text: NO_TEXT, done }
    : { records: [], text: entriesJson(records), done };
}
