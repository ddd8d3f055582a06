import type { Settings } from "../../schemas/settings.ts";
import { readPolicy } from "../policy/read_policy.ts";
import type { CurrentRules } from "./gate.ts";
import type { Reloads } from "./reload.ts";

/**
 * What the file of rules said of content at the last reload (C 28, C 29).
 *
 * @throws {UsageError} when the file is wrong.
 */
export async function reloadedPolicy(settings: Settings, reloads: Reloads): Promise<CurrentRules> {
  let current = await readPolicy(settings);
  reloads.add(async () => {
    current = await readPolicy(settings);
  });
  return { policy: () => current?.policy, signers: () => current?.signers };
}
