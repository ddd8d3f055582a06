import { orMissing, removeFile, syncDirectory, writeAll } from "./files.ts";

/** The secret of a data directory, and whether this call made it. */
export interface JwtSecret {
  readonly secret: string;
  readonly made: boolean;
}

/** Reads the secret that signs the tokens of a data directory, and makes one where there is none (C 10). */
export async function jwtSecret(dataDir: string): Promise<JwtSecret> {
  const path = `${dataDir}/jwt.secret`;
  const kept = await orMissing(Deno.readTextFile(path));
  if (kept !== undefined) return { secret: kept.trim(), made: false };
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
    return { secret: (await Deno.readTextFile(path)).trim(), made: false };
  } finally {
    await removeFile(temporary);
  }
  return { secret, made: true };
}
