/** Values as people read them. */

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
const integer = new Intl.NumberFormat("en-US");
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });

/** A size such as `1.4 GiB`. */
export function bytes(size: number): string {
  let unit = 0;
  let value = size;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit === 0 && size === 1 ? "byte" : UNITS[unit]}`;
}

/** A number such as `12,345`. */
export function count(value: number): string {
  return integer.format(value);
}

/** `1 file`, `12,345 files`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A time as `Nov 22, 2026, 4:25 PM`. */
export function time(iso: string): string {
  return dateTime.format(new Date(iso));
}

const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** The time of the day as `4:25:30 PM`. */
export function clock(iso: string): string {
  return clockTime.format(new Date(iso));
}

const dayOnly = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

/** A day of UTC, such as `2026-11-22`, as `Nov 22, 2026`. */
export function day(iso: string): string {
  return dayOnly.format(new Date(iso));
}

/** A part of a whole as `12 %`. */
export function share(part: number, whole: number): string {
  if (whole === 0) return "0 %";
  const percent = part / whole * 100;
  return percent > 0 && percent < 1 ? "< 1 %" : `${Math.round(percent)} %`;
}

const STEPS: readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
];

/** A time as `5 minutes ago`; more than a week ago as a date. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return time(iso);
  const step = STEPS.find(([length]) => Math.abs(seconds) >= length);
  if (step === undefined) return seconds > 0 ? "soon" : "just now";
  return relative.format(Math.round(seconds / step[0]), step[1]);
}

/** A duration such as `2 min 5 s`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
