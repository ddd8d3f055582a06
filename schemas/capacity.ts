import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A held lease (HC 2). `tool_name` is the label of the tool. */
const HeldLease = v.object({
  id: count,
  tool_name: v.string(),
  heavy: v.boolean(),
  /** 0 means no limit. */
  memory_limit_mb: count,
  /** RFC 3339, UTC, with milliseconds. */
  since: v.pipe(v.string(), v.isoTimestamp()),
});

const Readings = v.object({
  CPUCores: count,
  LoadAvg1m: v.number(),
  MemTotalMB: count,
  MemAvailableMB: count,
  DiskFreeMB: count,
});
const Level = v.picklist(["OK", "CAUTION", "CRITICAL", "UNKNOWN"]);

/** The reply of `GET /capacity/`. Names are those of HC; sizes are in MB of 2^20 bytes. */
export const CapacityOverview = v.object({
  readings: Readings,
  level: Level,
  reason: v.string(),
  /** The running scans, and the most that may run at once. */
  instances: v.object({ running: count, ceiling: count, detail: v.string() }),
  tools: v.object({
    HeavyToolSlots: count,
    LightToolSlots: count,
    Reason: v.string(),
    /** The hard memory limit of a heavy tool, such as `2048MB` or `disabled`. */
    memory_limit: v.string(),
  }),
  /** Null if no server replied. */
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

/** The reply of `GET /capacity/history`: the last hour of the server that replies (C 24). */
export const CapacityHistory = v.object({
  interval_s: v.pipe(v.number(), v.description("How often the server reads its host")),
  items: v.pipe(
    v.array(v.object({
      time: v.pipe(v.string(), v.isoTimestamp()),
      readings: Readings,
      level: Level,
      running: v.pipe(count, v.description("Scans that run on this server")),
      ceiling: v.pipe(count, v.description("The most that may run at once")),
      waiting: v.pipe(
        v.nullable(count),
        v.description("Scans that wait, on all servers; null if that was not known"),
      ),
    })),
    v.description("Oldest first; the last one is of now"),
  ),
});
export type CapacityHistory = v.InferOutput<typeof CapacityHistory>;
