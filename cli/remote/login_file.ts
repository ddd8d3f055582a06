import { dirname, join } from "node:path/posix";
import { orMissing, removeFile, syncDirectory, writeSynced } from "../../storage/disk/files.ts";
import { userDirectory } from "../environment.ts";
import { UsageError } from "../usage_error.ts";

/** A server, and the credential for it. */
export interface Login {
  readonly url: string;
  readonly token: string;
}

/** Where `strongroom login` keeps the login: a line with the URL, and one with the credential. */
export function loginPath(): string {
  return join(userDirectory("config"), "login");
}

/**
 * What `strongroom login` kept, if anything.
 *
 * @throws {UsageError} when the file is not one that it wrote.
 */
export async function readLogin(): Promise<Login | undefined> {
  const path = loginPath();
  const text = await orMissing(Deno.readTextFile(path));
  if (text === undefined) return undefined;
  const [url, token, ...others] = text.split("\n");
  if (url && token && others.length === 1) return { url, token };
  throw new UsageError(`Invalid login in "${path}": run strongroom login again`);
}

/** Keeps a login, in place of an earlier one, for its owner alone. It is replaced whole or not at all. */
export async function writeLogin({ url, token }: Login): Promise<void> {
  const path = loginPath();
  const directory = dirname(path);
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    await writeSynced(draft, new TextEncoder().encode(`${url}\n${token}\n`));
    await Deno.rename(draft, path);
  } catch (error) {
    await removeFile(draft);
    throw error;
  }
  await syncDirectory(directory);
}

/** Removes the login. Returns false if there was none. */
export function removeLogin(): Promise<boolean> {
  return removeFile(loginPath());
}
