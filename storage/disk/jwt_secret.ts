import { isLong, isVaried, STRONG_SECRET } from "../../schemas/secret.ts";
import { secretPath } from "./data_directory.ts";
import { orMissing, removeFile, syncDirectory, writeAll } from "./files.ts";

/** The secret of a data directory, and whether this call created it. */
export interface JwtSecret {
  readonly secret: string;
  readonly created: boolean;
}

/**
 * Reads the secret of a data directory, and restricts access to its file to the owner. Returns
 * undefined if there is no secret.
 *
 * @throws {RangeError} when the secret is too weak.
 */
export async function readJwtSecret(dataDir: string): Promise<string | undefined> {
  const path = secretPath(dataDir);
  const stored = await orMissing(Deno.readTextFile(path));
  return stored === undefined ? undefined : await checkAndProtect(path, stored);
}

/**
 * Reads the secret that signs the tokens of a data directory. Creates the directory and the secret
 * if they do not exist (C 10).
 *
 * @throws {RangeError} when the existing secret is too weak.
 */
export async function ensureJwtSecret(dataDir: string): Promise<JwtSecret> {
  await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = secretPath(dataDir);
  const stored = await readJwtSecret(dataDir);
  if (stored !== undefined) return { secret: stored, created: false };
  const secret = crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url" });
  const temporary = `${path}.${crypto.randomUUID()}`;
  try {
    using file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
    await writeAll(file, new TextEncoder().encode(`${secret}\n`));
    await file.sync();
    // Unlike a rename, a link does not replace a secret that another process has just created.
    await Deno.link(temporary, path);
    await syncDirectory(dataDir);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    return { secret: await checkAndProtect(path, await Deno.readTextFile(path)), created: false };
  } finally {
    await removeFile(temporary);
  }
  return { secret, created: true };
}

/** Checks a secret, and restricts access to its file to the owner. */
async function checkAndProtect(path: string, text: string): Promise<string> {
  const secret = text.trim();
  if (!isLong(secret) || !isVaried(secret)) {
    throw new RangeError(`The secret in "${path}" is too weak: expected ${STRONG_SECRET}`);
  }
  // A copied directory may have left the file readable for other users.
  await Deno.chmod(path, 0o600);
  return secret;
}
