import { list } from "./list.ts";
import { mint } from "./mint.ts";
import { revoke } from "./revoke.ts";

/** `strongroom token`: prints a new credential, or lists or revokes them (C 10, C 22). */
export async function run(args: string[]): Promise<number> {
  const [command, ...others] = args;
  switch (command) {
    case "list":
      return await list(others);
    case "revoke":
      return await revoke(others);
    default:
      return await mint(args);
  }
}
