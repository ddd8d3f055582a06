import type { StagedBlob } from "../../../core/blob_store.ts";
import type { Chunk } from "../../../core/content.ts";
import type { LfsObject, ParkedContent } from "../../../core/lfs_objects.ts";
import { type PartContent, type PartStore, uploadEnded } from "../../../core/uploads.ts";
import { StagedSmallBlob } from "../staged_small_blob.ts";
import type { ContentDigest } from "../hasher.ts";
import type { ObjectTable } from "../object_table.ts";
import { asUnavailable } from "./failures.ts";
import { ObjectPart, type ObjectPartParts } from "./object_part.ts";
import { StagedObject } from "./staged_object.ts";

export interface ObjectPartsOptions extends Omit<ObjectPartParts, "table"> {
  readonly objects: ObjectTable;
  /** The size of an object; undefined if it is lost. */
  readonly sizeOf: (key: string) => Promise<number | undefined>;
  readonly stageSmall: (digest: ContentDigest, bytes: Chunk) => Promise<StagedBlob>;
  /** Called when objects are leaving. */
  readonly onRemoval: () => void;
}

/**
 * What unfinished uploads have received, and what waits for a commit: in objects, and what is small in the
 * database. So any server goes on with either.
 */
export class ObjectParts implements PartStore, ParkedContent {
  readonly #options: ObjectPartsOptions;

  constructor(options: ObjectPartsOptions) {
    this.#options = options;
  }

  /** The row of the upload is enough. */
  create(): Promise<void> {
    return Promise.resolve();
  }

  async open(id: string, size: number): Promise<ObjectPart> {
    const table = this.#options.objects.parts;
    const taken = await table.take(id, size);
    if (taken === undefined) throw uploadEnded();
    const { turn, parts } = taken;
    return new ObjectPart({ id, turn }, parts, { ...this.#options, table });
  }

  async join(parts: readonly PartContent[]): Promise<StagedBlob> {
    const opened: ObjectPart[] = [];
    for (const { id, size } of parts) opened.push(await this.open(id, size));
    async function* content() {
      for (const part of opened) yield* part.content();
    }
    try {
      return await this.#options.stage(content());
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async park(id: string, blob: StagedBlob): Promise<void> {
    const { objects } = this.#options;
    if (blob instanceof StagedSmallBlob) return await objects.keep(id, await blob.read());
    if (!(blob instanceof StagedObject)) throw new TypeError("Not a blob of this store");
    await objects.wait(blob.key, id);
    blob.keep();
  }

  async unpark(object: LfsObject): Promise<StagedBlob | undefined> {
    const { objects, giveUp, sizeOf, stageSmall } = this.#options;
    const { id, hash, size, crc32, sha256 } = object;
    const digest = { hash, size, crc32, sha256: Uint8Array.fromHex(sha256) };
    const found = await objects.waiting(id);
    if (found === undefined) return undefined;
    if (typeof found !== "string") return await stageSmall(digest, found);
    if (await sizeOf(found) !== size) return undefined;
    const blob = new StagedObject(found, digest, giveUp);
    blob.keep();
    return blob;
  }

  /** What an upload has received leaves with its row, or when that is complete. */
  async remove(id: string): Promise<void> {
    const { objects, onRemoval } = this.#options;
    await objects.endWait(id);
    onRemoval();
  }

  /** They are with their rows. */
  ids(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}
