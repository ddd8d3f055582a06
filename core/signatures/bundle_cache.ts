import { type Manifest, parseManifest } from "./manifest.ts";
import { type CurrentSigners, InvalidSignature, type SignedBy } from "./trusted.ts";

/** The most files that remembered bundles name together. */
const MAX_FILES = 100_000;
/** What a bundle takes besides, counted in files. */
const BUNDLE_FILES = 100;
/** How long a bundle that does not count is not looked at again, in milliseconds: a certificate may come to count. */
const REFUSED_MS = 60_000;

/** What a bundle says, or why it does not count. */
export type BundleOutcome =
  | { readonly by: SignedBy; readonly manifest: Manifest }
  | { readonly reason: string };

interface Remembered {
  readonly outcome: BundleOutcome;
  readonly until: number;
  readonly files: number;
}

/** Verifies bundles, and remembers by their content what was found, as long as that holds and signers stay the same. */
export class BundleCache {
  #signers: ReturnType<CurrentSigners>;
  #files = 0;
  /** By the SHA-256 of bundles; those that were asked for last are last. */
  readonly #known = new Map<string, Remembered>();

  constructor(private readonly current: CurrentSigners) {}

  /** Whether anybody is trusted. */
  get isOn(): boolean {
    return this.current() !== undefined;
  }

  /** What was found of content. Undefined if it is to be read. */
  find(sha256: string): BundleOutcome | undefined {
    const signers = this.current();
    if (signers !== this.#signers) this.#forget();
    this.#signers = signers;
    const found = this.#known.get(sha256);
    if (found === undefined) return undefined;
    this.#drop(sha256, found);
    if (found.until < Date.now()) return undefined;
    this.#keep(sha256, found);
    return found.outcome;
  }

  /** Verifies a bundle. */
  verify(sha256: string, content: Uint8Array): BundleOutcome {
    const found = this.find(sha256);
    if (found !== undefined) return found;
    const verified = this.#verified(content);
    this.#keep(sha256, verified);
    for (const [oldest, it] of this.#known) {
      if (this.#files <= MAX_FILES) break;
      this.#drop(oldest, it);
    }
    return verified.outcome;
  }

  #verified(content: Uint8Array): Remembered {
    try {
      const signers = this.current();
      if (signers === undefined) throw new InvalidSignature("nobody is trusted");
      const { by, statement, until } = signers.verify(content);
      const manifest = parseManifest(statement);
      return { outcome: { by, manifest }, until, files: BUNDLE_FILES + manifest.files.size };
    } catch (error) {
      if (!(error instanceof InvalidSignature)) throw error;
      const until = Date.now() + REFUSED_MS;
      return { outcome: { reason: error.message }, until, files: BUNDLE_FILES };
    }
  }

  #keep(sha256: string, verified: Remembered): void {
    this.#known.set(sha256, verified);
    this.#files += verified.files;
  }

  #drop(sha256: string, verified: Remembered): void {
    this.#known.delete(sha256);
    this.#files -= verified.files;
  }

  #forget(): void {
    this.#known.clear();
    this.#files = 0;
  }
}
