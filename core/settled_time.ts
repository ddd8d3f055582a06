const DAY_MS = 24 * 60 * 60_000;

/**
 * How many a user can have of what expires, for each that is valid: expired ones are kept until they may be
 * forgotten, and must not fill the disk.
 */
export const KEPT_PER_VALID = 10;

/** Readings of the clock, in milliseconds since the Unix epoch, which outlast a restart. */
export interface ClockReadings {
  /** The reading that the next ones are compared with. */
  readonly readAt: number;
  /** The time that counts for all that is forgotten. It is never after `readAt`. */
  readonly settledAt: number;
}

/**
 * The readings after another one (C 31). A time counts once a reading a day later has confirmed it, with
 * none before it in between. So nothing is forgotten by one reading of a clock that ran ahead: the next
 * right one is before it. Returns the same object if nothing has changed.
 */
export function afterReading(readings: ClockReadings, now: number): ClockReadings {
  const { readAt, settledAt } = readings;
  if (now < readAt) return { readAt: now, settledAt: Math.min(settledAt, now) };
  return now - readAt < DAY_MS ? readings : { readAt: now, settledAt: readAt };
}

/** Reads the clock, and returns the time before which what is over may be forgotten (C 31). */
export type SettledTime = () => Promise<number>;
