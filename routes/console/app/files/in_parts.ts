import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { ApiError } from "../shared/api.ts";

/** How many entries a request names: so many that it takes little time, and can be stopped soon. */
const PART = 250;

/** An entry to which something could not be done. */
export interface Refusal {
  readonly entry: ResourceEntry;
  readonly error: unknown;
}

/** What has become of a selection. */
export interface Outcome {
  readonly done: readonly ResourceEntry[];
  readonly refused: readonly Refusal[];
  /** What was left as it is, as the person has stopped it. */
  readonly left: readonly ResourceEntry[];
}

/**
 * Does something to a selection of any length, in parts. Of a part that the server refuses, it finds out which entries
 * are the reason, and does it to the others.
 *
 * @param send Does it to all of a part or to none.
 */
export async function inParts(
  entries: readonly ResourceEntry[],
  send: (part: readonly ResourceEntry[]) => Promise<void>,
  { signal, onProgress, size = PART }: {
    readonly signal: AbortSignal;
    /** How many entries a part has at most. @default 250 */
    readonly size?: number | undefined;
    readonly onProgress: (done: number) => void;
  },
): Promise<Outcome> {
  const done: ResourceEntry[] = [];
  const refused: Refusal[] = [];
  const left: ResourceEntry[] = [];
  const waiting = [entries];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (signal.aborted) left.push(...part);
    else if (part.length > size) waiting.push(part.slice(size), part.slice(0, size));
    else {
      try {
        await send(part);
        done.push(...part);
      } catch (error) {
        const middle = Math.ceil(part.length / 2);
        if (part.length > 1 && isOfEntry(error)) {
          waiting.push(part.slice(middle), part.slice(0, middle));
        } else refused.push(...part.map((entry) => ({ entry, error })));
      }
      onProgress(done.length + refused.length);
    }
  }
  return { done, refused, left };
}

/** Whether an error may be about one entry of several. */
function isOfEntry(error: unknown): boolean {
  return !(error instanceof ApiError) || [400, 403, 404, 409].includes(error.status);
}
