import type { CurrentPolicy } from "../../core/policy/policy.ts";
import type { Settings } from "../../schemas/settings.ts";
import { readPolicy } from "../policy/read_policy.ts";
import type { Reloads } from "./reload.ts";

/**
 * The rules that their file had at the last reload (C 28).
 *
 * @throws {UsageError} when the file is wrong.
 */
export async function reloadedPolicy(settings: Settings, reloads: Reloads): Promise<CurrentPolicy> {
  let current = await readPolicy(settings);
  reloads.add(async () => {
    current = await readPolicy(settings);
  });
  return () => current?.policy;
}
