import { parseOptions } from "../arguments.ts";
import { loadSettings } from "../environment.ts";
import { assertMayRunPrograms } from "../supervisor/run_permission.ts";

/** `strongroom serve`: serves until a stop signal, in a process of its own that this one supervises. */
export async function run(args: string[]): Promise<number> {
  const { "accept-damage": acceptDamage, supervised: isSupervised } = parseOptions(args, {
    "accept-damage": { type: "boolean", default: false },
    supervised: { type: "boolean", default: false },
  });
  // The supervisor and the server load nothing of each other.
  if (isSupervised || loadSettings(() => {}).scanIsolation === "thread") {
    const { serve } = await import("./server.ts");
    return await serve({ acceptDamage, isSupervised });
  }
  assertMayRunPrograms("serve");
  const { supervise } = await import("../supervisor/supervise.ts");
  return await supervise(args);
}
