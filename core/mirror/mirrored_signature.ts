import { createHash } from "node:crypto";
import { BUNDLE_NAME, type SignatureOutcome } from "../../schemas/signatures.ts";
import { ancestorsOf, joinPath, parentOf } from "../paths.ts";
import type { BundleCache, BundleOutcome } from "../signatures/bundle_cache.ts";
import { MAX_BUNDLE_BYTES, signatureBy } from "../tree/signatures.ts";
import { type MirroredFile, type MirrorParts, pathOf, refusalOf } from "./mirror.ts";
import type { MirrorSubject } from "./ports.ts";
import { smallContent } from "./small_content.ts";

/** Of how many bundles the digest is remembered. */
const MAX_REMEMBERED = 10_000;

/** Finds the signatures on files of another hub (C 29). */
export class MirroredSignatures {
  readonly #parts: Pick<MirrorParts, "tree" | "caller" | "store" | "upstream">;
  readonly #bundles: BundleCache;
  /** The SHA-256 of bundles, by their paths in the tree of the mirror: what is there never changes. */
  readonly #digests = new Map<string, string>();
  /** The bundles that are being read, by these paths: a page of a list asks for one many times at once. */
  readonly #reading = new Map<string, Promise<BundleOutcome>>();

  constructor(
    parts: Pick<MirrorParts, "tree" | "caller" | "store" | "upstream">,
    bundles: BundleCache,
  ) {
    this.#parts = parts;
    this.#bundles = bundles;
  }

  /** The signature on a file, by the bundle of its revision that is nearest to it. Undefined before its digest is known. */
  async of({ revision, file, verdict }: MirrorSubject): Promise<SignatureOutcome | undefined> {
    const directories = ["", ...ancestorsOf(file.path)].toReversed();
    const paths = directories.map((it) => joinPath(it, BUNDLE_NAME));
    const found = await this.#parts.store.findEntries(revision.revision, paths);
    const bundle = paths.map((path) => found.find((it) => it.path === path && !it.isDir))
      .find((it) => it !== undefined);
    if (bundle === undefined) return { state: "unsigned" };
    const { path, size } = bundle;
    if (size > MAX_BUNDLE_BYTES) return { state: "invalid", reason: "the bundle is too large" };
    const sha256 = file.sha256 ?? verdict?.sha256;
    if (sha256 === undefined) return undefined;
    const outcome = await this.#outcomeOf({ revision, file: bundle });
    return signatureBy({ path, directory: parentOf(path), outcome }, { ...file, sha256 });
  }

  async #outcomeOf(bundle: MirroredFile): Promise<BundleOutcome> {
    const path = pathOf(bundle);
    const known = this.#digests.get(path);
    const found = known === undefined ? undefined : this.#bundles.find(known);
    if (found !== undefined) return found;
    const running = this.#reading.get(path);
    if (running !== undefined) return await running;
    const reading = this.#read(bundle).finally(() => this.#reading.delete(path));
    this.#reading.set(path, reading);
    return await reading;
  }

  async #read(bundle: MirroredFile): Promise<BundleOutcome> {
    try {
      const content = await smallContent(this.#parts, bundle);
      const sha256 = createHash("sha256").update(content).digest("hex");
      const [oldest] = this.#digests.keys();
      if (this.#digests.size >= MAX_REMEMBERED && oldest !== undefined) {
        this.#digests.delete(oldest);
      }
      this.#digests.set(pathOf(bundle), sha256);
      return this.#bundles.verify(sha256, content);
    } catch (error) {
      throw refusalOf(error, bundle.revision);
    }
  }
}
