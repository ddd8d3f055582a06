/** Bytes in a KiB. */
export const KIB = 1024;
/** Bytes in a MiB. */
export const MIB = 1024 * KIB;
/** Bytes in a GiB. */
export const GIB = 1024 * MIB;

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** Formats a size for people, such as `512 bytes` or `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < KIB) return `${bytes.toLocaleString("en")} ${bytes === 1 ? "byte" : "bytes"}`;
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / KIB ** power).toFixed(1)} ${UNITS[power]}`;
}
