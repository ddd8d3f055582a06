import { type Lease, LeasePool } from "../capacity/leases.ts";
import type { HostCapacity } from "../capacity/overview.ts";
import type { Log } from "../log.ts";
import { MIN_HEAVY_BYTES } from "../scanner/mod.ts";
import { MIB } from "../../schemas/units.ts";

/** Files up to this size have a lane of their own. */
const MAX_SMALL_BYTES = MIB;

/** Files that wait for the same leases. Those of one lane do not wait for those of another. */
export type Lane = "small" | "light" | "heavy";

export const LANES: readonly Lane[] = ["small", "light", "heavy"];

/** The lane of a file by its size in bytes. */
export function laneOf(size: number): Lane {
  if (size >= MIN_HEAVY_BYTES) return "heavy";
  return size <= MAX_SMALL_BYTES ? "small" : "light";
}

/** What {@link ScanLeases} works with. */
export interface ScanLeasesOptions extends Pick<HostCapacity, "stats" | "tunables"> {
  /** The leases of the host. */
  readonly leases: LeasePool;
  readonly log: Log;
}

/**
 * The leases of scans. When large files hold all leases of the host, one small file at a time is scanned
 * beside them, unless memory is short: it must not wait as long as they take.
 */
export class ScanLeases {
  readonly #leases: LeasePool;
  readonly #spare: LeasePool;

  constructor({ leases, stats, tunables, log }: ScanLeasesOptions) {
    this.#leases = leases;
    // With one idle core, a host has one light slot, or none without memory.
    const oneCore = () => ({ ...stats(), CPUCores: 1, LoadAvg1m: 0 });
    this.#spare = new LeasePool({ stats: oneCore, tunables, log });
  }

  /**
   * Waits for a lease.
   *
   * @throws {Error} when the signal aborts; its reason is the `cause`.
   */
  async acquire(lane: Lane, signal: AbortSignal): Promise<Lease> {
    if (lane !== "small") return await ask(this.#leases, lane === "heavy", signal);
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const asked = [this.#leases, this.#spare].map((pool) => ask(pool, false, either));
    try {
      const granted = await Promise.race(asked);
      ended.abort();
      for (const other of await Promise.allSettled(asked)) {
        if (other.status === "fulfilled" && other.value !== granted) other.value.release();
      }
      return granted;
    } catch (error) {
      await Promise.allSettled(asked);
      throw error;
    }
  }
}

function ask(pool: LeasePool, heavy: boolean, signal: AbortSignal): Promise<Lease> {
  return pool.acquireToolLeaseWithContext(signal, heavy, "scan", undefined, 0);
}
