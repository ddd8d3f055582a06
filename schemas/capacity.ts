import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A lease that is held; its tool is told by its label alone (HC 2). */
const HeldLease = v.object({
  id: count,
  tool_name: v.string(),
  heavy: v.boolean(),
  /** 0 is none. */
  memory_limit_mb: count,
  /** RFC 3339, UTC, with milliseconds. */
  since: v.pipe(v.string(), v.isoTimestamp()),
});

/** What `GET /capacity/` tells: names are those of HC, sizes MB of 2^20 bytes. */
export const CapacityOverview = v.object({
  readings: v.object({
    CPUCores: count,
    LoadAvg1m: v.number(),
    MemTotalMB: count,
    MemAvailableMB: count,
    DiskFreeMB: count,
  }),
  level: v.picklist(["OK", "CAUTION", "CRITICAL", "UNKNOWN"]),
  reason: v.string(),
  /** How many scans may run at once. */
  instances: v.object({ running: count, ceiling: count, detail: v.string() }),
  tools: v.object({
    HeavyToolSlots: count,
    LightToolSlots: count,
    Reason: v.string(),
    /** The hard limit of a heavy tool, such as `2048MB`, or `disabled`. */
    memory_limit: v.string(),
  }),
  /** Null where no server told them. */
  leases: v.nullable(v.object({
    active_total: count,
    active_heavy: count,
    waiting: count,
    active: v.array(HeldLease),
  })),
  tunables: v.array(v.object({
    name: v.string(),
    variable: v.string(),
    value: v.number(),
    source: v.picklist(["environment", "default"]),
  })),
});
export type CapacityOverview = v.InferOutput<typeof CapacityOverview>;
