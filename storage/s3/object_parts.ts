import type { StagedBlob } from "../../core/blob_store.ts";
import type { LfsObject, ParkedContent } from "../../core/lfs_objects.ts";
import type { OpenPart, PartStore } from "../../core/uploads.ts";
import type { PartDirectory } from "../blobs/part_directory.ts";
import type { ObjectTable } from "../ports/object_table.ts";
import { StagedObject } from "./staged_object.ts";

export interface ObjectPartsOptions {
  /** Keeps what uploads have received, until they are complete, and small content. */
  readonly directory: PartDirectory;
  readonly objects: ObjectTable;
  /** The size of an object; undefined if it is lost. */
  readonly sizeOf: (key: string) => Promise<number | undefined>;
  readonly giveUp: (key: string) => Promise<void>;
  /** Called when objects are leaving. */
  readonly onRemoval: () => void;
}

/**
 * What unfinished uploads have received, in files of the data directory, and what waits for a commit: large
 * content in its object.
 */
export class ObjectParts implements PartStore, ParkedContent {
  readonly #options: ObjectPartsOptions;

  constructor(options: ObjectPartsOptions) {
    this.#options = options;
  }

  create(id: string): Promise<void> {
    return this.#options.directory.create(id);
  }

  open(id: string, size: number): Promise<OpenPart> {
    return this.#options.directory.open(id, size);
  }

  async park(id: string, blob: StagedBlob): Promise<void> {
    const { directory, objects } = this.#options;
    if (!(blob instanceof StagedObject)) return await directory.park(id, blob);
    await objects.wait(blob.key, id);
    blob.keep();
  }

  async unpark(object: LfsObject): Promise<StagedBlob | undefined> {
    const { directory, objects, giveUp, sizeOf } = this.#options;
    const key = await objects.waiting(object.id);
    if (key === undefined) return await directory.unpark(object);
    const { hash, size, crc32, sha256 } = object;
    if (await sizeOf(key) !== size) return undefined;
    const digest = { hash, size, crc32, sha256: Uint8Array.fromHex(sha256) };
    const blob = new StagedObject(key, digest, giveUp);
    blob.keep();
    return blob;
  }

  async remove(id: string): Promise<void> {
    const { directory, objects, onRemoval } = this.#options;
    await objects.endWait(id);
    onRemoval();
    await directory.remove(id);
  }

  async ids(): Promise<string[]> {
    const { directory, objects } = this.#options;
    return [...await directory.ids(), ...await objects.allWaiting()];
  }
}
