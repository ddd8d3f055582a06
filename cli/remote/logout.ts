import { parseArguments } from "../arguments.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { loginUrl } from "./login.ts";
import { readLogins, writeLogins } from "./login_file.ts";
import { serverUrl } from "./server_url.ts";

/** `strongroom logout`: removes what `strongroom login` kept for a server, or the only login there is (C 25). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArguments({
    args,
    options: { all: { type: "boolean", default: false } },
    strict: true,
    allowPositionals: true,
  });
  const logins = await readLogins();
  if (values.all && positionals.length > 0) throw new UsageError("--all needs no URL");
  if (!values.all && positionals.length === 0 && logins.length > 1) {
    throw new UsageError("There are several logins: name the URL of one, or --all");
  }
  const url = positionals.length === 0 ? undefined : serverUrl(loginUrl("logout", positionals));
  const kept = logins.filter((it) => url !== undefined && it.url !== url);
  await writeLogins(kept);
  const count = logins.length - kept.length;
  if (count === 0) {
    print(url === undefined ? "There was no login" : `There was no login for ${url}`);
  } else print(url === undefined ? "Logged out" : `Logged out of ${url}`);
  return 0;
}
