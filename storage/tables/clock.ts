import { afterReading } from "../../core/settled_time.ts";
import type { RunStatement } from "./dialect.ts";

/** The statements that {@link settledTime} needs. They are the same for all engines. */
export const CLOCK_STATEMENTS = {
  clock: "SELECT clock_read_at, clock_settled_at FROM storage_state",
  saveClock: `UPDATE storage_state
    SET clock_read_at = :readAt, clock_settled_at = :settledAt RETURNING id`,
} as const;

export type ClockStatement = keyof typeof CLOCK_STATEMENTS;

/**
 * Notes a reading of the clock, and returns the time before which what is over may be forgotten (C 31).
 *
 * @param now The reading, in milliseconds since the Unix epoch.
 * @param save Runs a statement that writes. It is called about once a day.
 */
export async function settledTime(
  { run, save = run }: {
    readonly run: RunStatement<ClockStatement>;
    readonly save?: RunStatement<ClockStatement>;
  },
  now: number,
): Promise<number> {
  const [row] = await run("clock", {});
  const readings = {
    readAt: Number(row?.clock_read_at),
    settledAt: Number(row?.clock_settled_at),
  };
  const next = afterReading(readings, now);
  if (next !== readings) await save("saveClock", { ...next });
  return next.settledAt;
}
