import { resolve } from "node:path";
import { UsageError } from "../usage_error.ts";

/** The certificate of an authority of one's own, besides those that the runtime and the system trust (C 25). */
let given: string | undefined;

/**
 * Takes `--cacert FILE` out of the arguments of a command that uses a server.
 *
 * @throws {UsageError} when it has no file.
 */
export function withoutCacert(
  args: readonly string[],
): { readonly rest: string[]; readonly cacert: string | undefined } {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const at = args.findIndex((it, index) => index < end && /^--cacert(?:=|$)/.test(it));
  const option = args[at];
  if (option === undefined) return { rest: [...args], cacert: undefined };
  const isSeparate = option === "--cacert";
  const file = isSeparate ? args[at + 1] : option.slice("--cacert=".length);
  if (!file) throw new UsageError("--cacert needs a file with the certificate of an authority");
  return { rest: args.toSpliced(at, isSeparate ? 2 : 1), cacert: resolve(file) };
}

/** Has this command trust the authority of `--cacert`. */
export function giveCacert(path: string | undefined): void {
  given = path;
}

/** The file of `--cacert`, if it was given. */
export function givenCacert(): string | undefined {
  return given;
}

/**
 * What sends requests to a server whose certificate may be from this authority.
 *
 * @param path The file with the certificate of the authority, as PEM. @default those of runtime and system
 * @throws {UsageError} when it cannot be read, or has no certificate.
 */
export async function httpClient(path: string | undefined): Promise<Deno.HttpClient | undefined> {
  if (path === undefined) return undefined;
  try {
    return Deno.createHttpClient({ caCerts: [await Deno.readTextFile(path)] });
  } catch (error) {
    throw new UsageError(`Cannot read the certificate of an authority in "${path}"`, {
      cause: error,
    });
  }
}
