import { orMissing, syncDirectory, writeSynced } from "./files.ts";

/** What a data directory remembers if its server keeps records in a database of several servers (C 23). */
export interface DirectoryMark {
  /** The id of the strongroom whose records the database has. */
  readonly strongroom: string;
  /** The id of the directory, which its copies share. */
  readonly directory: string;
}

/** Reads the mark of a data directory; undefined if it has none. */
export async function readMark(dataDir: string): Promise<DirectoryMark | undefined> {
  const text = await orMissing(Deno.readTextFile(markPath(dataDir)));
  const [, strongroom, directory] = /^([0-9a-f]{32}) ([0-9a-f]{32})\n$/.exec(text ?? "") ?? [];
  if (strongroom !== undefined && directory !== undefined) return { strongroom, directory };
  if (text === undefined) return undefined;
  throw new Error(`"${markPath(dataDir)}" is damaged: restore it`);
}

/** Writes the mark of a data directory, durably. */
export async function writeMark(
  dataDir: string,
  { strongroom, directory }: DirectoryMark,
): Promise<void> {
  const path = markPath(dataDir);
  await writeSynced(`${path}.new`, new TextEncoder().encode(`${strongroom} ${directory}\n`));
  await Deno.rename(`${path}.new`, path);
  await syncDirectory(dataDir);
}

function markPath(dataDir: string): string {
  return `${dataDir}/database.id`;
}
