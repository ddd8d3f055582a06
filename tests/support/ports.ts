import { until } from "./until.ts";

/**
 * Ports of servers that other programs start, or that start again on the same port. The system gives ports
 * below 32768 to no client, and to no server that takes any port: between two starts, a test beside this one
 * would take the port for itself.
 */
const FIRST = 11_000;
const COUNT = 20_000;
/** The file with the position of the last port that a test has taken. */
const LAST = `${Deno.env.get("TMPDIR") ?? "/tmp"}/strongroom-test-port-${Deno.uid()}`;
const DIGITS = 5;

/** A free port of 127.0.0.1 that no other test takes soon. */
export function freePort(): number {
  using file = Deno.openSync(LAST, { create: true, read: true, write: true });
  file.lockSync(true);
  const digits = new Uint8Array(DIGITS);
  let position = Number(new TextDecoder().decode(digits.subarray(0, file.readSync(digits) ?? 0)));
  do position = (position + 1) % COUNT; while (!isFree(FIRST + position));
  file.seekSync(0, Deno.SeekMode.Start);
  file.writeSync(new TextEncoder().encode(String(position).padStart(DIGITS, "0")));
  return FIRST + position;
}

/** Waits until a program accepts connections. */
export async function untilListening(port: number): Promise<void> {
  await until(() =>
    Deno.connect({ hostname: "127.0.0.1", port }).then((it) => (it.close(), true), () => false)
  );
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}
