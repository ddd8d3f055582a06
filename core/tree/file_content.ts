import type { ByteRange } from "../blob_store.ts";
import { ContentReader, type LocatedContent, verifiedContent } from "../content.ts";
import type { DamageLog } from "../damage.ts";
import { AppError, DamagedContent, quoted } from "../errors.ts";
import type { CollectedFile, ResourceRecord } from "../ports.ts";
import type { Tree } from "./changes.ts";

/** The content of a record is missing, or has another size than the record. */
export class MissingContent extends Error {
  readonly #path: string;
  readonly #hash: string;

  /** @param refusal The error if the content stays missing. Left out, it is `ErrInternal`. */
  constructor(
    { path, hash, size }: Pick<CollectedFile, "path" | "hash" | "size">,
    stored: number | undefined,
    readonly refusal?: AppError,
  ) {
    super(
      stored === undefined
        ? `The content of ${quoted(path)} is missing`
        : `The content of ${quoted(path)} has ${stored} bytes (expected: ${size})`,
    );
    this.#path = path;
    this.#hash = hash;
  }

  /** Whether the same content is missing at the same path. */
  sameAs(other: MissingContent | undefined): boolean {
    return other !== undefined && other.#path === this.#path && other.#hash === this.#hash;
  }
}

/**
 * The error for content that is missing from the store, in the same words for a file and for one of an archive
 * (RS 4.7.3, RS 4.7.6).
 *
 * @param stored The size of what is there instead, if anything is.
 */
export function missingContent(
  file: Pick<CollectedFile, "path" | "hash" | "size">,
  stored: number | undefined,
  kind: "ErrResourcesNotFound" | "ErrInternal",
): MissingContent {
  const message = `Cannot download ${quoted(file.path)}: its content is missing from storage`;
  const refusal = stored === undefined ? new AppError(kind, message) : undefined;
  return new MissingContent(file, stored, refusal);
}

/**
 * Opens the content of a file, or of a range of it. Content that is missing is so even if none of it is
 * read (RS 4.7.3). Reading damaged content to its end throws.
 *
 * @param located Where the content was when the record was found. @default it is looked up
 * @throws {MissingContent}
 */
export async function openFile(
  { blobs, damage }: Pick<Tree, "blobs" | "damage">,
  record: ResourceRecord,
  range: ByteRange | undefined,
  located?: LocatedContent,
): Promise<ContentReader | undefined> {
  const { hash, size } = record;
  const content = range && await blobs.open(hash, range, located);
  const stored = range === undefined
    ? located?.bytes?.length ?? await blobs.sizeOf(hash, "lately")
    : content?.size;
  if (stored !== size) {
    await content?.return();
    throw missingContent(record, stored, "ErrResourcesNotFound");
  }
  if (range === undefined || content === undefined) return undefined;
  // The checksum covers all of the content, so a part of it cannot be verified.
  const isWhole = range.end - range.start === size;
  return isWhole ? reportingDamage(verifiedContent(content, record), damage) : content;
}

/** Passes content through, and reports it if it turns out to be damaged. */
export function reportingDamage(content: ContentReader, damage: DamageLog): ContentReader {
  return new ContentReader(
    async () => {
      try {
        return (await content.next()).value;
      } catch (error) {
        if (error instanceof DamagedContent) damage.report(error);
        throw error;
      }
    },
    async () => {
      await content.return();
    },
  );
}
