import { UsageError } from "../usage_error.ts";
import { add, list, rename, show } from "./people.ts";

/** `strongroom team`: lists, adds and renames teams (C 27). */
export async function run(args: string[]): Promise<number> {
  const [command, ...others] = args;
  switch (command) {
    case "list":
      return await list("team", others);
    case "show":
      return await show("team", others);
    case "add":
      return await add("team", others);
    case "rename":
      return await rename("team", others);
    default:
      throw new UsageError(
        `team needs a command: list, show, add or rename${
          command === undefined ? "" : `, not "${command}"`
        }`,
      );
  }
}
