import type { ScanProgress } from "./scan_files.ts";

export interface ProgressView {
  readonly done: ScanProgress;
  readonly total: ScanProgress;
  /** Seconds since the start. */
  readonly seconds: number;
  /** Characters of the line. */
  readonly width: number;
}

const BAR = 24;

/** How far a scan is, in a line: a bar, files, bytes, rate and the time that is left. */
export function progressLine({ done, total, seconds, width }: ProgressView): string {
  const share = total.bytes === 0 ? 1 : Math.min(1, done.bytes / total.bytes);
  const filled = Math.floor(share * BAR);
  const rate = seconds > 0 ? done.bytes / seconds : 0;
  const left = rate > 0 ? `, ${duration((total.bytes - done.bytes) / rate)} left` : "";
  return [
    `[${"#".repeat(filled)}${"-".repeat(BAR - filled)}]`,
    `${done.files}/${total.files} files,`,
    `${size(done.bytes)} of ${size(total.bytes)}, ${size(rate)}/s${left}`,
  ].join(" ").slice(0, Math.max(0, width));
}

function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${value.toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min`;
}
