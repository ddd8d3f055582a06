import { dirname, join } from "node:path/posix";
import { orMissing, removeFile, syncDirectory, writeSynced } from "../../storage/disk/files.ts";
import { userDirectory } from "../environment.ts";
import { UsageError } from "../usage_error.ts";

/** A server, and the credential for it. */
export interface Login {
  readonly url: string;
  readonly token: string;
  /** The file with the certificate of an authority that has issued the server's. @default none of one's own */
  readonly cacert?: string | undefined;
}

/**
 * Where `strongroom login` keeps logins: of each, a line with the URL, and one with the credential and, after a
 * blank, the file of an authority, if there is one.
 */
export function loginPath(): string {
  return join(userDirectory("config"), "login");
}

/**
 * What `strongroom login` kept: one login for each server, the default one first.
 *
 * @throws {UsageError} when the file is not one that it wrote.
 */
export async function readLogins(): Promise<readonly Login[]> {
  const path = loginPath();
  const text = await orMissing(Deno.readTextFile(path));
  if (text === undefined) return [];
  const lines = text.split("\n").slice(0, -1);
  if (lines.length % 2 === 1 || lines.includes("") || !text.endsWith("\n")) {
    throw new UsageError(`Invalid login in "${path}": remove it, and run strongroom login again`);
  }
  return lines.flatMap((url, index) =>
    index % 2 === 1 ? [] : [{ url, ...withCacert(lines[index + 1] ?? "") }]
  );
}

function withCacert(line: string): Omit<Login, "url"> {
  const [token = "", ...words] = line.split(" ");
  return words.length === 0 ? { token } : { token, cacert: words.join(" ") };
}

/** Keeps logins in place of the former ones, for their owner alone: all or none. Without any, no file is left. */
export async function writeLogins(logins: readonly Login[]): Promise<void> {
  const path = loginPath();
  if (logins.length === 0) return void await removeFile(path);
  const directory = dirname(path);
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    const lines = logins.map(({ url, token, cacert }) =>
      `${url}\n${[token, ...cacert === undefined ? [] : [cacert]].join(" ")}\n`
    ).join("");
    await writeSynced(draft, new TextEncoder().encode(lines));
    await Deno.rename(draft, path);
  } catch (error) {
    await removeFile(draft);
    throw error;
  }
  await syncDirectory(directory);
}
