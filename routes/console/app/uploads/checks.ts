/** Checks of files in this browser before they are sent, which a person may switch on. */

import type { ScannedVerdict } from "../../../../schemas/verdict_names.ts";
import { CONSOLE } from "../shared/server_url.ts";
import { Store } from "../shared/store.ts";

/** The module of the scanner, as the package strongroom-scanner has it. */
interface Scanner {
  scan(name: string, file: File, options: { readonly signal: AbortSignal }): Promise<Report>;
}

interface Report {
  readonly issues: readonly { readonly severity?: string }[];
  readonly checks: readonly { readonly name: string }[];
  readonly success: boolean;
}

/** The check that only a report on a file of no known format has. */
const UNKNOWN_FORMAT = "Known Format";

/** What a check says of a file. */
export type CheckVerdict = ScannedVerdict | "failed";

/** Where the scanner is, if this server has it. */
const address = document.querySelector<HTMLMetaElement>('meta[name="scanner"]')?.content;

/** Whether this server has the scanner for browsers. */
export const canCheck = address !== undefined;

/** Servers below paths of one host have one each. */
const KEY = `strongroom ${CONSOLE} checks`;

/** Whether files are checked here before they are sent. */
export const checks = new Store(canCheck && localStorage.getItem(KEY) === "on");

/** Switches the checks on or off, and remembers it. */
export function setChecks(isOn: boolean): void {
  checks.set(isOn);
  localStorage.setItem(KEY, isOn ? "on" : "off");
}

let before: Promise<unknown> = Promise.resolve();

/** Checks a file after those before it, as one check may take much memory. It is sent nowhere. */
export async function check(path: string, file: File, signal: AbortSignal): Promise<CheckVerdict> {
  const checking = before.then(() => scanned(path, file, signal));
  before = checking;
  return await checking;
}

async function scanned(path: string, file: File, signal: AbortSignal): Promise<CheckVerdict> {
  try {
    const { scan }: Scanner = await import(address ?? "");
    const { issues, checks, success } = await scan(path, file, { signal });
    const severities = issues.map(({ severity }) => severity);
    if (severities.includes("critical")) return "dangerous";
    if (severities.includes("warning")) return "suspicious";
    if (!success) return "inconclusive";
    return checks.some(({ name }) => name === UNKNOWN_FORMAT) && file.size > 0
      ? "unknown"
      : "clean";
  } catch {
    return "failed";
  }
}
