import { DamagedData, type OutputBuffer } from "./output_buffer.ts";

/** The farthest that a short match reaches back, in bytes. */
const MAX_DISTANCE = 8191;
const MIN_MATCH = 3;

/**
 * Unpacks BloscLZ, the codec of its own that Blosc has. Matches reach back to where the output is now.
 *
 * @throws {DamagedData} when the data is malformed or cut off.
 */
export function unpackBloscLz(packed: Uint8Array, output: OutputBuffer): void {
  const earliest = output.length;
  let at = 0;
  const next = (): number => {
    if (at >= packed.length) throw new DamagedData("BloscLZ is cut off");
    return packed[at++] ?? 0;
  };
  for (let control = next() & 31;; control = next()) {
    if (control < 32) {
      const literals = packed.subarray(at, at + control + 1);
      if (literals.length <= control) throw new DamagedData("Literals are cut off");
      output.append(literals);
      at += literals.length;
    } else {
      const { count, distance } = match(control, next);
      if (distance > output.length - earliest) {
        throw new DamagedData("A match reaches before the start");
      }
      output.reserve(count);
      output.repeat(distance, count);
    }
    if (at >= packed.length) return;
  }
}

function match(control: number, next: () => number): { count: number; distance: number } {
  let count = (control >> 5) - 1;
  if (count === 6) {
    for (let more = 255; more === 255;) {
      more = next();
      count += more;
    }
  }
  const high = control & 31;
  const low = next();
  const distance = high === 31 && low === 255
    ? (next() << 8) + next() + MAX_DISTANCE
    : (high << 8) + low;
  return { count: count + MIN_MATCH, distance: distance + 1 };
}
