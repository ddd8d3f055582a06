import { time } from "../shared/format.ts";

/** What a state of a tree is called: `version 41`, `“v1.0”`, or a time. */
export function nameOfState(at: string): string {
  if (/^\d{1,15}$/.test(at)) return `version ${at}`;
  return Number.isNaN(Date.parse(at)) ? `“${at}”` : time(at);
}
