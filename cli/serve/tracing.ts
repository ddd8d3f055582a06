import type { ActiveSpan } from "../../routes/serving/observe.ts";
import { isTraced } from "../environment.ts";

/** How to find the runtime's span of a request; undefined unless the runtime traces. */
export async function findTracing(): Promise<ActiveSpan | undefined> {
  if (!isTraced()) return undefined;
  // Only now, as it takes 4 MB.
  const { trace } = await import("@opentelemetry/api");
  return () => trace.getActiveSpan();
}
