import { parseOptions } from "../arguments.ts";
import { print } from "../print.ts";
import { removeLogin } from "./login_file.ts";

/** `strongroom logout`: removes what `strongroom login` kept. */
export async function run(args: string[]): Promise<number> {
  parseOptions(args, {});
  print(await removeLogin() ? "Logged out" : "There was no login");
  return 0;
}
