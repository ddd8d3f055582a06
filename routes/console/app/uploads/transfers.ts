import { Store } from "../shared/store.ts";
import { Rate } from "./rate.ts";
import type { Transfer, UploadItem } from "./transfer.ts";
import { claim } from "./unfinished.ts";

/** All uploads since the panel was cleared. */
export interface UploadsState {
  readonly items: readonly UploadItem[];
  /** Bytes a second over the last seconds. */
  readonly rate: number;
}

export const uploads = new Store<UploadsState>({ items: [], rate: 0 });

/** How often what is shown changes at most, in milliseconds. */
const SHOW_MS = 150;

/** The transfers by their keys, in the order of these. */
export const transfers = new Map<number, Transfer>();
/** The bytes that leave. */
export const rate = new Rate();
let showing: number | undefined;

/** Whether this window works on an upload. */
export function isKnown(id: string): boolean {
  return transfers.values().some((transfer) => transfer.id === id);
}

claim(() => transfers.values().map(({ id }) => id).filter((id) => id !== undefined).toArray());

/** What is known of the uploads that need their files again. */
export function unfinished(): readonly Transfer[] {
  return [...transfers.values()].filter(({ item }) => item.state === "unfinished");
}

/** Whether leaving the page would break something off. */
export function isUploading(): boolean {
  return transfers.values().some(({ item: { state } }) =>
    ["checking", "queued", "sending", "waiting"].includes(state)
  );
}

/** Changes what is shown of a transfer. */
export function change(key: number, changes: Partial<UploadItem>): void {
  const transfer = transfers.get(key);
  if (transfer === undefined) return;
  transfer.item = { ...transfer.item, ...changes };
  show();
}

/** Shows what has changed, with what else changes in the same moment. */
export function show(): void {
  showing ??= setTimeout(() => {
    showing = undefined;
    uploads.set({
      items: transfers.values().map(({ item }) => item).toArray(),
      rate: rate.current(),
    });
    if (isUploading()) show();
  }, SHOW_MS);
}
