import type { Scanner } from "../scanner.ts";

/** All scanners, in the order in which they run. */
export const SCANNERS: readonly Scanner[] = [];

/** To be raised with every change of what scanners find: kept results of another version are not used. */
export const SCANNERS_VERSION = "1";
