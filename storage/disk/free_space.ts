import { GIB } from "../../schemas/units.ts";

/** No disk fills faster than this. */
const MAX_FILL_BYTES_PER_MS = 10 * GIB / 1000;
/** A reading is at most this old, even if the disk was nearly empty: space can be allocated at once. */
const MAX_AGE_MS = 1000;

/** The free space of a file system. Reads it again only if the last reading may no longer hold. */
export class FreeSpace {
  readonly #path: string;
  #bytes = 0;
  #readAt = -Infinity;

  /** @param path Any path on the file system. */
  constructor(path: string) {
    this.#path = path;
  }

  /** What was free at the last reading, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The size of the file system, in bytes. */
  get total(): number {
    const { blocks, bsize } = statfs(this.#path);
    return blocks * bsize;
  }

  /** Whether at least `bytes` are free. */
  has(bytes: number): boolean {
    const age = performance.now() - this.#readAt;
    if (age < MAX_AGE_MS && this.#bytes - age * MAX_FILL_BYTES_PER_MS > bytes) return true;
    const { bavail, bsize } = statfs(this.#path);
    this.#bytes = bavail * bsize;
    this.#readAt = performance.now();
    return this.#bytes >= bytes;
  }
}

/** Not imported: its modules take as long as all else of the thread that writes, which may not need them. */
function statfs(path: string) {
  // deno-lint-ignore no-process-global
  return process.getBuiltinModule("node:fs").statfsSync(path);
}
