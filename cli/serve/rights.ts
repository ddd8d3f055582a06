import type { Log } from "../../core/log.ts";
import { type Names, numberNamed } from "../../core/people/named.ts";
import { rightsByRoles } from "../../core/people/roles.ts";
import { type RightsOf, rightsWithoutRoles } from "../../core/people/rights.ts";
import type { Settings } from "../../schemas/settings.ts";
import { readRules } from "../rules_file.ts";
import type { Reloads } from "./reload.ts";

/** How many trees that roles name, and nobody has, are warned of with the line: to find it takes time. */
const MAX_WARNINGS = 10;

/**
 * What finds the rights of people, by the roles that their file had at the last reload (C 27).
 *
 * @throws {UsageError} when the file is wrong.
 */
export async function reloadedRights(
  settings: Settings,
  people: Names,
  { log, reloads }: { readonly log: Log; readonly reloads: Pick<Reloads, "add"> },
): Promise<RightsOf> {
  let current = await rightsIn(settings, people, log);
  reloads.add(async () => {
    current = await rightsIn(settings, people, log);
  });
  return (person) => current(person);
}

async function rightsIn(settings: Settings, people: Names, log: Log): Promise<RightsOf> {
  const file = await readRules(settings);
  if (file?.roles === undefined) return rightsWithoutRoles;
  const { path, roles, lineOfTree } = file;
  let missing = 0;
  for (const [group, { trees }] of roles) {
    for (const tree of Object.keys(trees)) {
      if (await numberNamed(people, tree, "tree") !== undefined) continue;
      if (++missing > MAX_WARNINGS) continue;
      const line = lineOfTree(group, tree);
      log.warn("A role names a tree that nobody has", { path, line, group, tree });
    }
  }
  if (missing > MAX_WARNINGS) {
    log.warn("Roles name more trees that nobody has", { path, trees: missing - MAX_WARNINGS });
  }
  return rightsByRoles(roles, people);
}
