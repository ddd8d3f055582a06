import { isTransient } from "../content/objects/failures.ts";
import { isDisconnected, isReadOnly } from "../postgres/failures.ts";

/** Whether the database or the object store cannot be used now, but may be later as they are (C 23). */
export function isAway(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (isDisconnected(at) || isReadOnly(at) || isTransient(at)) return true;
  }
  return false;
}
