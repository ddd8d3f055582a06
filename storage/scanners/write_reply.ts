import { encodeFrame } from "./frames.ts";

/** Writes a message of a scanner process to its stdout. */
export function writeReply(message: object): void {
  for (const piece of encodeFrame(message)) {
    for (let rest = piece; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
  }
}
