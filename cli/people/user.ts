import type { Person } from "../../core/people/store.ts";
import { parseArguments } from "../arguments.ts";
import { requireGroups } from "../token/named_user.ts";
import { UsageError } from "../usage_error.ts";
import { can } from "./can.ts";
import { add, change, list, oneName, printPerson, rename, show, withPeople } from "./people.ts";

/** `strongroom user`: lists, adds and changes people (C 27). */
export async function run(args: string[]): Promise<number> {
  const [command, ...others] = args;
  switch (command) {
    case "list":
      return await list("person", others);
    case "show":
      return await show("person", others);
    case "add":
      return await add("person", others);
    case "disable":
      return await setDisabled(others, true);
    case "enable":
      return await setDisabled(others, false);
    case "rename":
      return await rename("person", others);
    case "can":
      return await can(others);
    case "groups":
      return await groups(others);
    default:
      throw new UsageError(
        `user needs a command: list, show, add, disable, enable, rename, groups or can${
          command === undefined ? "" : `, not "${command}"`
        }`,
      );
  }
}

async function setDisabled(args: string[], disabled: boolean): Promise<number> {
  const { positionals, values } = parseArguments({
    args,
    options: { json: { type: "boolean", default: false } },
    strict: true,
    allowPositionals: true,
  });
  const named = oneName(disabled ? "user disable" : "user enable", positionals);
  return await change("person", { named, json: values.json, changeOf: () => ({ disabled }) });
}

/** `strongroom user groups`: prints the groups of a person, and adds and removes some before. */
async function groups(args: string[]): Promise<number> {
  const { positionals, values } = parseArguments({
    args,
    options: {
      add: { type: "string", multiple: true, default: [] },
      remove: { type: "string", multiple: true, default: [] },
      json: { type: "boolean", default: false },
    },
    strict: true,
    allowPositionals: true,
  });
  const { add: added, remove: removed, json } = values;
  requireGroups("--add", added);
  const named = oneName("user groups", positionals);
  if (added.length === 0 && removed.length === 0) {
    await withPeople(async ({ find }) => printGroups(await find("person", named), json));
    return 0;
  }
  const changeOf = ({ groups: former }: Person) => {
    const missing = removed.find((group) => !former.includes(group));
    if (missing !== undefined) throw new UsageError(`"${named}" is not in the group "${missing}"`);
    const kept = former.filter((group) => !removed.includes(group));
    return { groups: [...new Set([...kept, ...added])] };
  };
  return await change("person", { named, json, changeOf, print: printGroups });
}

function printGroups(person: Person, json: boolean): void {
  printPerson(person, json, ({ groups }) => groups.join("\n"));
}
