import {
  type ContainerLimits,
  containerLimits,
  getStats,
  type HostCapacity,
} from "../core/capacity/mod.ts";
import { hostTunables } from "./host_tunables.ts";

/**
 * The host and the tunables in force for it. An invalid tunable is passed to `warn`, and its default
 * applies (C 13).
 *
 * @param dataDir See {@link getStats}.
 * @param limits Returns the limits of the container. @default those that this process may read
 */
export function hostCapacity(
  dataDir: string | undefined,
  warn: (message: string) => void,
  limits: () => ContainerLimits | undefined = recentLimits(),
): HostCapacity {
  return { stats: () => getStats(dataDir, "/", limits()), ...hostTunables(warn) };
}

/** How long a reading of the limits of the container is used: it reads many files. */
const MAX_LIMITS_AGE_MS = 1000;

/** Returns a function that reads the limits of the container once a second at most. */
function recentLimits(): () => ContainerLimits | undefined {
  let limits: ContainerLimits | undefined;
  let readAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - readAt < MAX_LIMITS_AGE_MS) return limits;
    readAt = now;
    return limits = containerLimits();
  };
}
