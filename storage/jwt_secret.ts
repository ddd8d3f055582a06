import { orMissing, removeFile, syncDirectory, writeAll } from "./disk/files.ts";

/** The secret of a data directory, and whether this call made it. */
export interface JwtSecret {
  readonly secret: string;
  readonly made: boolean;
}

/** The fewest bytes of a secret (C 10). */
const MIN_BYTES = 32;

/**
 * Reads the secret of a data directory, where it has one.
 *
 * @throws {RangeError} where the secret is too short.
 */
export async function keptSecret(dataDir: string): Promise<string | undefined> {
  const path = secretPath(dataDir);
  const kept = await orMissing(Deno.readTextFile(path));
  return kept === undefined ? undefined : await checked(path, kept);
}

function secretPath(dataDir: string): string {
  return `${dataDir}/jwt.secret`;
}

/**
 * Reads the secret that signs the tokens of a data directory, and makes what is missing of both (C 10).
 *
 * @throws {RangeError} where the secret that is there is too short.
 */
export async function jwtSecret(dataDir: string): Promise<JwtSecret> {
  await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = secretPath(dataDir);
  const kept = await keptSecret(dataDir);
  if (kept !== undefined) return { secret: kept, made: false };
  const secret = crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url" });
  const temporary = `${path}.${crypto.randomUUID()}`;
  try {
    using file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
    await writeAll(file, new TextEncoder().encode(`${secret}\n`));
    await file.sync();
    // A link, unlike a rename, does not replace the secret that another process has just made.
    await Deno.link(temporary, path);
    await syncDirectory(dataDir);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    return { secret: await checked(path, await Deno.readTextFile(path)), made: false };
  } finally {
    await removeFile(temporary);
  }
  return { secret, made: true };
}

async function checked(path: string, text: string): Promise<string> {
  const secret = text.trim();
  const bytes = new TextEncoder().encode(secret).length;
  if (bytes < MIN_BYTES) {
    throw new RangeError(`"${path}" holds a secret of ${bytes} bytes, fewer than ${MIN_BYTES}`);
  }
  // It may have come from a copy of the directory, readable for everybody.
  await Deno.chmod(path, 0o600);
  return secret;
}
