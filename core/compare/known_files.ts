import type { FileDifference } from "../../schemas/compare.ts";
import type { ResourceRecord } from "../ports.ts";
import type { FilePair } from "./file_pairs.ts";
import type { Side } from "./sides.ts";

/** Files that are looked up at once. */
const BATCH_FILES = 300;

/** Both sides of a comparison. */
export interface Sides {
  readonly from: Side;
  readonly to: Side;
}

interface KnownFile {
  /** Of its content, if it is known. */
  readonly sha256: string | null;
  /** Why the gate refuses it; undefined if it does not. */
  readonly refusal: string | undefined;
}

/** What is known of files that are different, without reading them. */
export class KnownFiles {
  readonly #files = new Map<ResourceRecord, KnownFile>();

  private constructor() {}

  static async of({ from, to }: Sides, pairs: readonly FilePair[]): Promise<KnownFiles> {
    const known = new KnownFiles();
    await known.#add(from, pairs.flatMap((pair) => pair.from ?? []));
    await known.#add(to, pairs.flatMap((pair) => pair.to ?? []));
    return known;
  }

  async #add({ tree }: Side, files: readonly ResourceRecord[]): Promise<void> {
    for (let start = 0; start < files.length; start += BATCH_FILES) {
      const batch = files.slice(start, start + BATCH_FILES);
      const verdicts = await tree.verdicts.of(batch);
      const refusals = await tree.gate?.refusals(batch);
      for (const [index, file] of batch.entries()) {
        const sha256 = verdicts[index]?.sha256 ?? null;
        this.#files.set(file, { sha256, refusal: refusals?.[index]?.message });
      }
    }
  }

  sha256Of(file: ResourceRecord): string | null {
    return this.#files.get(file)?.sha256 ?? null;
  }

  /** Why one of two files must not be read; null if both may be. */
  refusalOf({ from, to }: FilePair): string | null {
    const refusals = [from, to].map((file) => file && this.#files.get(file)?.refusal);
    return refusals.find((it) => it !== undefined) ?? null;
  }

  /** What is different as far as it is known. */
  difference(pair: FilePair): FileDifference {
    const { path, formerPath, from, to } = pair;
    const action = from === undefined
      ? "added"
      : to === undefined
      ? "removed"
      : from.hash === to.hash
      ? "moved"
      : "changed";
    return {
      action,
      path,
      former_path: formerPath,
      from: this.#content(from),
      to: this.#content(to),
      compared: "content",
      reason: null,
      keys: [],
      hunks: [],
      left_out: 0,
    };
  }

  #content(file: ResourceRecord | undefined): FileDifference["from"] {
    return file === undefined ? null : { size: file.size, sha256: this.sha256Of(file) };
  }
}
