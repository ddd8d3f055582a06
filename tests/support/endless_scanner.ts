import { untilAborted } from "../../core/event_loop.ts";
import type { ContentScanner } from "../../core/scans/ports.ts";

/** Scans nothing, and ends no scan by itself. */
export const ENDLESS: ContentScanner = {
  scan: (_content, { signal }) => untilAborted(new Promise<never>(() => {}), signal),
};
