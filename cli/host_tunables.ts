import { getHostSize } from "../core/capacity/host_size.ts";
import { readTunables } from "../core/capacity/tunables.ts";
import { readVariable } from "./environment.ts";

/**
 * The tunables in force for this host. An invalid one is passed to `warn`, and its default applies
 * (C 13).
 */
export function hostTunables(warn: (message: string) => void): ReturnType<typeof readTunables> {
  const read = readTunables(readVariable, getHostSize());
  for (const { warning } of read.origins) {
    if (warning !== undefined) warn(warning);
  }
  return read;
}
