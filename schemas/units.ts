/** Bytes in a KiB. */
export const KIB = 1024;
/** Bytes in a MiB. */
export const MIB = 1024 * KIB;
/** Bytes in a GiB. */
export const GIB = 1024 * MIB;
/** Bytes in a TiB. */
export const TIB = 1024 * GIB;

const FACTORS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  kb: 1000,
  kib: KIB,
  mb: 1000 ** 2,
  mib: MIB,
  gb: 1000 ** 3,
  gib: GIB,
  tb: 1000 ** 4,
  tib: TIB,
};

/** The bytes of a size such as `5GiB`, `1.5 GB` or `300000`; undefined for other text. */
export function parseSize(text: string): number | undefined {
  const [, number = "", unit = ""] = /^(\d{1,16}(?:\.\d{1,6})?) ?([a-z]{0,3})$/i.exec(text) ?? [];
  const factor = number === "" ? undefined : FACTORS[unit.toLowerCase()];
  const bytes = factor === undefined ? Number.NaN : Math.trunc(Number(number) * factor);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** The seconds of a duration such as `90s`, `15m`, `1h` or `30d`; undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const [, number = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = SECONDS[unit];
  return seconds === undefined ? undefined : Number(number) * seconds;
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** Formats a size or a rate for people, such as `512 bytes` or `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  const whole = Math.round(bytes);
  if (whole < KIB) return `${whole.toLocaleString("en")} ${whole === 1 ? "byte" : "bytes"}`;
  let power = Math.min(UNITS.length - 1, Math.floor(Math.log2(whole) / 10));
  // Rounding may fill a unit: 1023.96 KiB are 1.0 MiB.
  const isFull = Math.round(whole / KIB ** power * 10) >= KIB * 10;
  if (isFull && power < UNITS.length - 1) power++;
  return `${(whole / KIB ** power).toFixed(1)} ${UNITS[power]}`;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** Parses an RFC 3339 time into milliseconds since the Unix epoch. Undefined if it is none. */
export function parseTime(text: string): number | undefined {
  const time = RFC_3339.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
