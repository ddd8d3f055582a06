import * as v from "valibot";
import { orMissing, syncDirectory, writeAll } from "../../disk/files.ts";

/** The file that makes a directory a backup, and names what it holds. */
export const MANIFEST = "backup.json";
/** A manifest that is being written. */
export const NEW_MANIFEST = "backup.json.new";

const FORMAT = 1;

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A state of a strongroom that a backup holds. */
const SnapshotFacts = v.object({
  /** Counts the snapshots of the backup; the name of its directory below `snapshots/`. */
  number: v.pipe(Count, v.minValue(1)),
  taken_at: v.pipe(v.string(), v.isoTimestamp()),
  /** Of the database file, in lower-case hex. */
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  records: Count,
  files: Count,
  bytes: Count,
  /** How many contents were missing or damaged when they were copied. */
  damaged: Count,
});
export type SnapshotFacts = v.InferOutput<typeof SnapshotFacts>;

const Manifest = v.object({
  format: v.literal(FORMAT),
  /** The id of the strongroom that is backed up. */
  strongroom_id: v.pipe(v.string(), v.nonEmpty()),
  /** Null until the first backup is complete. */
  snapshot: v.nullable(SnapshotFacts),
});
/** What a backup holds. */
export type Manifest = Omit<v.InferOutput<typeof Manifest>, "format">;

const AnyFormat = v.object({ format: Count });

/**
 * Reads the manifest of a directory. Returns undefined if the manifest is missing.
 *
 * @throws {Error} when it is not a valid manifest.
 */
export async function readManifest(directory: string): Promise<Manifest | undefined> {
  const path = `${directory}/${MANIFEST}`;
  const text = await orMissing(Deno.readTextFile(path));
  if (text === undefined) return undefined;
  const json = parseJson(text);
  const any = v.safeParse(AnyFormat, json);
  if (any.success && any.output.format > FORMAT) {
    throw new Error(
      `The backup in "${directory}" has format ${any.output.format}; ` +
        `this program supports up to ${FORMAT}`,
    );
  }
  const manifest = v.safeParse(Manifest, json);
  if (manifest.success) return manifest.output;
  throw new Error(`"${path}" is damaged: ${manifest.issues[0].message}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not a manifest, as the schema will find.
    return undefined;
  }
}

/** Replaces the manifest of a directory at once and durably. */
export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const temporary = `${directory}/${NEW_MANIFEST}`;
  {
    using file = await Deno.open(temporary, {
      write: true,
      create: true,
      truncate: true,
      mode: 0o600,
    });
    await writeAll(
      file,
      new TextEncoder().encode(
        `${JSON.stringify({ format: FORMAT, ...manifest }, undefined, 2)}\n`,
      ),
    );
    await file.sync();
  }
  await Deno.rename(temporary, `${directory}/${MANIFEST}`);
  await syncDirectory(directory);
}
