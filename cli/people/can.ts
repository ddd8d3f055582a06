import type { Privilege } from "../../core/caller.ts";
import { decide, rightsByRoles } from "../../core/people/roles.ts";
import { ADMINS, MEMBERS, rightsWithoutRoles } from "../../core/people/rights.ts";
import { PRIVILEGES } from "../../schemas/credentials.ts";
import { parseArguments } from "../arguments.ts";
import { loadSettings } from "../environment.ts";
import { suggestion } from "../nearest.ts";
import { print } from "../print.ts";
import { remoteDirectory } from "../remote/verb.ts";
import { readRules } from "../rules_file.ts";
import { userNumber } from "../token/named_user.ts";
import { UsageError } from "../usage_error.ts";
import { withPeople } from "./people.ts";

/**
 * `strongroom user can`: prints whether a person may do something where it is signed in, and why (C 27). Exit code 0:
 * it may; 1: it may not.
 */
export async function can(args: string[]): Promise<number> {
  const { positionals: [named, action, path, ...others], values } = parseArguments({
    args,
    options: { tree: { type: "string" }, json: { type: "boolean", default: false } },
    strict: true,
    allowPositionals: true,
  });
  if (named === undefined || action === undefined || path === undefined || others.length > 0) {
    throw new UsageError(
      "user can needs three arguments: a name, an action such as view, and a path",
    );
  }
  const privilege = privilegeOf(action);
  const shownPath = remoteDirectory(path);
  const { roles } = await readRules(loadSettings()) ?? {};
  return await withPeople(async ({ find, store }) => {
    const person = await find("person", named);
    const tree = values.tree === undefined ? undefined : await userNumber(store, values.tree);
    const rightsOf = roles === undefined ? rightsWithoutRoles : rightsByRoles(roles, store);
    const known = roles?.keys() ?? [ADMINS, MEMBERS];
    const { isAllowed, groups } = await decide(rightsOf, { person, privilege, tree }, known);
    const where = `"${shownPath}" in ${
      tree === undefined ? "its own tree" : `the tree of ${values.tree}`
    }`;
    const reason = isAllowed
      ? `the group ${groups.join(", ")} permits ${privilege}`
      : person.disabledAt !== undefined
      ? "it is disabled"
      : `${
        person.groups.length === 0 ? "it is in no group" : `not by ${person.groups.join(", ")}`
      }; ${groups.length === 0 ? "no group" : groups.join(", ")} would permit ${privilege}`;
    print(
      values.json
        ? JSON.stringify({ allowed: isAllowed, privilege, groups, reason })
        : `${isAllowed ? "yes" : "no"}: ${person.name}, ${where}: ${reason}`,
    );
    return isAllowed ? 0 : 1;
  });
}

/** A privilege by its name, of which `view` is short for `resources.view`. */
function privilegeOf(action: string): Privilege {
  const name = action.includes(".") ? action : `resources.${action}`;
  const privilege = PRIVILEGES.find((it) => it === name);
  if (privilege !== undefined) return privilege;
  throw new UsageError(`Unknown action "${action}"${suggestion(name, PRIVILEGES)}`);
}
