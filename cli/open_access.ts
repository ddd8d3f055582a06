/** The bits of a mode by which users other than the owner read a directory, or its group changes it. */
const OPEN_BITS = 0o027;

/** A warning if users other than its owner may read or change a data directory, by its mode (C 12). */
export async function openAccess(dataDir: string): Promise<string | undefined> {
  const mode = (await Deno.stat(dataDir)).mode ?? 0;
  if ((mode & OPEN_BITS) === 0) return undefined;
  const octal = (mode & 0o777).toString(8);
  return `The data directory "${dataDir}" has mode ${octal}, which lets other users in: ` +
    "expected 700 (chmod 700)";
}
