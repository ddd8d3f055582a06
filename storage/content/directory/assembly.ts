import type { PartPlace } from "../../../core/uploads.ts";
import { MIB } from "../../../schemas/units.ts";
import type { PartWriter } from "./part_writer.ts";

/** How many parts one may be ahead of those that have come: not every file system has holes in files. */
const MAX_AHEAD = 64;
/** A smaller part may be the last one, whose size says nothing of where the others begin. */
const MIN_FIRST_BYTES = 5 * MIB;

interface Slot extends PartPlace {
  /** Whether all of the part has come. */
  isWhole: boolean;
}

/**
 * The file that the parts of an upload are written to at once, each where it is in the whole, so that they need not be
 * joined. What has come without a gap is hashed while more comes. It is known as long as this process runs; later parts
 * have files of their own.
 * See docs/design/s3.md.
 */
export class Assembly {
  /** The id of the upload. */
  readonly whole: string;
  /** The size of all parts but the last. */
  readonly #partBytes: number;
  readonly #openHashing: () => Promise<PartWriter>;
  /** By the ids of the parts. */
  readonly #slots = new Map<string, Slot>();
  readonly #byNumber = new Map<number, Slot>();
  /** What has come without a gap. */
  #come = { parts: 0, bytes: 0 };
  /** Whether it takes no more parts. */
  #isSealed = false;
  #hashing: Promise<PartWriter> | undefined;
  #hashed: Promise<void> = Promise.resolve();

  /** @param openHashing Opens the file to hash it from its beginning. */
  constructor(first: PartPlace, openHashing: () => Promise<PartWriter>) {
    this.whole = first.whole;
    this.#partBytes = first.size;
    this.#openHashing = openHashing;
  }

  /** Whether the place of other parts is known by that of a part. */
  static canBegin({ number, size }: PartPlace): boolean {
    return size > 0 && (number === 1 || size >= MIN_FIRST_BYTES) && number <= MAX_AHEAD;
  }

  /** A part that is in the file, by its id. */
  get part(): string | undefined {
    return this.#slots.keys().next().value;
  }

  /** Takes a part. Returns whether there is a place for it that no other one has. */
  take(id: string, { whole, number, size }: PartPlace): boolean {
    const isTaken = this.#byNumber.has(number);
    const isNear = number <= this.#slots.size + MAX_AHEAD;
    if (this.#isSealed || isTaken || !isNear || size > this.#partBytes) return false;
    const slot = { whole, number, size, isWhole: false };
    this.#slots.set(id, slot);
    this.#byNumber.set(number, slot);
    return true;
  }

  /** Where a part begins, in bytes. */
  positionOf(id: string): number {
    return ((this.#slots.get(id)?.number ?? 1) - 1) * this.#partBytes;
  }

  /** All of a part has come, and is durable. */
  complete(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined || this.#isSealed) return;
    slot.isWhole = true;
    for (let next; (next = this.#byNumber.get(this.#come.parts + 1))?.isWhole;) {
      this.#come = { parts: next.number, bytes: this.#come.bytes + next.size };
    }
    const { bytes } = this.#come;
    this.#hashing ??= this.#openHashing();
    const hashing = this.#hashing;
    // A failure is met again when the rest is hashed.
    this.#hashed = this.#hashed.then(async () => (await hashing).rehash(bytes)).catch(() => {});
  }

  /** A part is gone. */
  leave(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    // What has been hashed must stay as it is.
    if (slot.isWhole) this.#isSealed = true;
    this.#slots.delete(id);
    this.#byNumber.delete(slot.number);
  }

  /** Takes no more parts. Returns whether none is still on its way. */
  seal(): boolean {
    this.#isSealed = true;
    return this.#slots.values().every(({ isWhole }) => isWhole);
  }

  /** What has hashed the file, to be closed by the caller. */
  async takeHashing(): Promise<PartWriter> {
    await this.#hashed;
    const hashing = this.#hashing ?? this.#openHashing();
    this.#hashing = undefined;
    return await hashing;
  }

  /** Forgets what has been hashed. */
  async close(): Promise<void> {
    this.#isSealed = true;
    await this.#hashed;
    const hashing = this.#hashing;
    this.#hashing = undefined;
    await hashing?.then((it) => it.close(), () => {});
  }
}
