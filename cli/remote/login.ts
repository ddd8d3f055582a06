import { parseArguments } from "../arguments.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { loginPath, writeLogin } from "./login_file.ts";
import { readToken } from "./read_token.ts";
import { RemoteError } from "./remote_error.ts";
import { apiUrl, serverUrl } from "./server_url.ts";

/** `strongroom login URL`: keeps a server and a credential for it (C 25). */
export async function run(args: string[]): Promise<number> {
  const api = loginUrl(args);
  const login = { url: serverUrl(api), token: await readToken() };
  await checkCredential(new Connection(login));
  await writeLogin(login);
  print(`Logged in to ${login.url}; the credential is kept in ${loginPath()}`);
  print(
    `hf and huggingface_hub: export HF_ENDPOINT=${login.url}/hub HF_HUB_DISABLE_XET=1 (no xet here)`,
  );
  return 0;
}

/** The URL of the API of the server to log in to, from the arguments of the command. */
export function loginUrl(args: readonly string[]): string {
  const { positionals } = parseArguments({
    args: [...args],
    options: {},
    strict: true,
    allowPositionals: true,
  });
  const [url, ...others] = positionals;
  if (url === undefined || others.length > 0) {
    throw new UsageError(
      "login needs one argument: the URL of a server, such as https://files.example",
    );
  }
  return apiUrl(url, "URL");
}

/** Asks the server whether it accepts the credential. One that permits little is accepted as well. */
async function checkCredential(connection: Connection): Promise<void> {
  try {
    await (await connection.request("GET", "/usage/")).body?.cancel();
  } catch (error) {
    if (!(error instanceof RemoteError && error.kind === "ErrNotPermitted")) throw error;
  }
}
