import { isOfResource, type LiveEvent } from "../shared/live.ts";
import { isWithin } from "../shared/paths.ts";

/** Whether an event may have changed what is known of a model. */
export function concerns(event: LiveEvent, path: string): boolean {
  return event.type === "scan.finished" ||
    isOfResource(event) && isWithin(event.data.path, path);
}
