import { createHash } from "node:crypto";
import { BUNDLE_NAME, type SignatureOutcome } from "../../schemas/signatures.ts";
import { MIB } from "../../schemas/units.ts";
import { type Chunk, joinChunks } from "../content.ts";
import { DamagedContent } from "../errors.ts";
import { isTurnOver, takeTurn } from "../event_loop.ts";
import { ancestorsOf, joinPath, parentOf } from "../paths.ts";
import type { RecordLookup, ResourceRecord } from "../ports.ts";
import type { BundleCache, BundleOutcome } from "../signatures/bundle_cache.ts";
import type { FindSignatures, SignableFile, TreeBundle } from "../signatures/find_signatures.ts";
import type { Manifest, SignedFile } from "../signatures/manifest.ts";
import type { SignedBy } from "../signatures/trusted.ts";
import type { TreeParts } from "./changes.ts";
import { MissingContent, openFile } from "./file_content.ts";

/** A larger bundle is not read: it would name tens of thousands of files. */
export const MAX_BUNDLE_BYTES = 2 * MIB;

type Parts = Pick<TreeParts, "blobs" | "damage" | "verdicts"> & { readonly records: RecordLookup };

/**
 * Finds the signatures on files of a tree (C 29). A file is signed by the bundle that is nearest to it: beside it, or
 * in the next directory above. Each file is judged alone, by the digest that is kept of its content.
 * See docs/design/signatures.md.
 */
export class Signatures implements FindSignatures {
  constructor(private readonly parts: Parts, private readonly cache: BundleCache) {}

  get isOn(): boolean {
    return this.cache.isOn;
  }

  at(records: RecordLookup): Signatures {
    return new Signatures({ ...this.parts, records }, this.cache);
  }

  async of(files: readonly SignableFile[]): Promise<SignatureOutcome[]> {
    const found = new Map<number, ReadonlyMap<string, TreeBundle>>();
    for (const [userId, theirs] of Map.groupBy(files, (file) => file.userId)) {
      const directories = new Set(theirs.map(({ path }) => parentOf(path)));
      found.set(userId, await this.bundles(userId, [...directories]));
    }
    return files.map((file) => {
      const bundle = found.get(file.userId)?.get(parentOf(file.path));
      return bundle === undefined ? { state: "unsigned" } : signatureBy(bundle, file);
    });
  }

  async bundles(
    userId: number,
    directories: readonly string[],
  ): Promise<ReadonlyMap<string, TreeBundle>> {
    const candidates = directories.map((directory) => // The nearest one first.
    [...(directory === "" ? [] : [directory, ...ancestorsOf(directory).toReversed()]), ""]);
    const paths = new Set(candidates.flat().map((it) => joinPath(it, BUNDLE_NAME)));
    const scope = { userId, everyone: false };
    const records = await this.parts.records.findByPath(scope, [...paths]);
    const nearest = candidates.map((all) =>
      all.map((it) => records.get(joinPath(it, BUNDLE_NAME))).find((it) => it?.isDir === false)
    );
    const read = await this.#read([...new Set(nearest)].filter((it) => it !== undefined));
    return new Map(directories.flatMap((directory, index) => {
      const record = nearest[index];
      const bundle = record && read.get(record);
      return bundle === undefined ? [] : [[directory, bundle]];
    }));
  }

  async #read(
    records: readonly ResourceRecord[],
  ): Promise<ReadonlyMap<ResourceRecord, TreeBundle>> {
    const contents = records.length === 0 ? [] : await this.parts.verdicts.of(records);
    const bundles = new Map<ResourceRecord, TreeBundle>();
    for (const [index, record] of records.entries()) {
      if (isTurnOver()) await takeTurn();
      const { path } = record;
      const outcome = await this.#outcomeOf(record, contents[index]?.sha256 ?? null);
      bundles.set(record, { path, directory: parentOf(path), outcome });
    }
    return bundles;
  }

  async #outcomeOf(record: ResourceRecord, sha256: string | null): Promise<BundleOutcome> {
    const known = sha256 === null ? undefined : this.cache.find(sha256);
    if (known !== undefined) return known;
    if (record.size > MAX_BUNDLE_BYTES) return { reason: "the bundle is too large" };
    try {
      const content = await contentOf(this.parts, record);
      return this.cache.verify(createHash("sha256").update(content).digest("hex"), content);
    } catch (error) {
      if (!(error instanceof MissingContent || error instanceof DamagedContent)) throw error;
      return { reason: "the bundle cannot be read" };
    }
  }
}

async function contentOf(parts: Parts, record: ResourceRecord): Promise<Chunk> {
  const chunks: Chunk[] = [];
  const content = await openFile(parts, record, { start: 0, end: record.size });
  for await (const chunk of content ?? []) chunks.push(chunk.slice());
  return joinChunks(chunks);
}

/** The signature on a file that a bundle is about. */
export function signatureBy(
  { path, directory, outcome }: TreeBundle,
  file: Omit<SignableFile, "userId">,
): SignatureOutcome {
  if ("reason" in outcome) return { state: "invalid", reason: outcome.reason };
  const { by, manifest } = outcome;
  const name = file.path.slice(directory === "" ? 0 : directory.length + 1);
  const signed = manifest.files.get(name);
  // Nobody signs a signature with itself.
  if (signed === undefined && file.path === path) return { state: "signed", ...by };
  if (signed !== undefined) {
    const reason = differenceOf(file, signed, by);
    return reason === undefined ? { state: "signed", ...by } : { state: "invalid", ...by, reason };
  }
  if (isLeftOut(manifest, name)) return { state: "unsigned" };
  return { state: "invalid", ...by, reason: `${by.signer} has not signed it: it was added` };
}

/** Why a file is not as it was signed, if it is not. */
function differenceOf(
  { sha256, size }: Omit<SignableFile, "userId">,
  signed: SignedFile,
  { signer }: SignedBy,
): string | undefined {
  if (signed.sha256 === undefined) return `${signer} has signed it by digests that are not kept`;
  if (sha256 === null) return "its digest is not known before it has been read";
  if (sha256 === signed.sha256 && size === (signed.size ?? size)) return undefined;
  return `it is not what ${signer} has signed`;
}

/** Whether the signer has left out a file, or a directory that it is in. */
function isLeftOut({ leftOut }: Manifest, name: string): boolean {
  return [name, ...ancestorsOf(name)].some((it) => leftOut.has(it));
}
