import { Buffer } from "node:buffer";

export type Part = string | Uint8Array;

export function join(...parts: Part[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))));
}

/** A little-endian number of `length` bytes. */
export function number(value: number | bigint, length: number): Uint8Array {
  const bytes = Buffer.alloc(Math.max(8, length));
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
  return new Uint8Array(bytes.subarray(0, length));
}

export const UNDEFINED = number(-1n, 8);

function filled(bytes: Uint8Array): Uint8Array {
  return join(bytes, new Uint8Array((8 - bytes.length % 8) % 8));
}

export interface Message {
  readonly type: number;
  readonly data: Uint8Array;
  readonly flags?: number;
}

/** Builds an HDF5 file: the superblock, then the added parts in order. */
export class Hdf5Builder {
  #content: Uint8Array;

  /** @param version The superblock version. From 2 on, object headers have version 2, else 1. */
  constructor(readonly version: 0 | 1 | 2 | 3 = 0) {
    this.#content = new Uint8Array({ 0: 96, 1: 104, 2: 48, 3: 48 }[version]);
  }

  /** Adds a part and returns its address. */
  add(...parts: Part[]): number {
    const address = this.#content.length;
    this.#content = join(this.#content, filled(join(...parts)));
    return address;
  }

  /** Adds an object header and returns its address. */
  object(...messages: Message[]): number {
    const bytes = join(...messages.map((it) => this.message(it)));
    return this.version >= 2
      ? this.add("OHDR", number(2, 1), number(2, 1), number(bytes.length, 4), bytes, number(0, 4))
      : this.add(
        number(1, 2),
        number(messages.length, 2),
        number(1, 4),
        number(bytes.length, 4),
        number(0, 4),
        bytes,
      );
  }

  message({ type, data, flags = 0 }: Message): Uint8Array {
    if (this.version >= 2) {
      return join(number(type, 1), number(data.length, 2), number(flags, 1), data);
    }
    const content = filled(data);
    return join(number(type, 2), number(content.length, 2), number(flags, 4), content);
  }

  /** A continuation message. */
  continuation(...messages: Message[]): Message {
    const bytes = join(...messages.map((it) => this.message(it)));
    const block = this.version >= 2 ? join("OCHK", bytes, number(0, 4)) : bytes;
    return { type: 0x10, data: join(number(this.add(block), 8), number(block.length, 8)) };
  }

  /** An attribute with a variable-length string, which has its own heap. */
  text(name: string, text: string): Message {
    const value = new TextEncoder().encode(text);
    const object = (index: number, bytes: Uint8Array) =>
      join(number(index, 2), number(1, 6), number(bytes.length, 8), filled(bytes));
    const objects = join(object(1, join("another")), object(2, value), number(0, 16));
    const heap = this.add("GCOL", number(1, 4), number(objects.length + 16, 8), objects);
    const type = join(number(0x19, 1), number(1, 3), number(16, 4), number(0x13, 4), number(1, 4));
    return this.attribute(name, type, join(number(value.length, 4), number(heap, 8), number(2, 4)));
  }

  /** An attribute with a fixed-length string. */
  fixedText(name: string, text: string, filling = 0): Message {
    const value = join(text, new Uint8Array(filling));
    return this.attribute(name, join(number(0x13, 4), number(value.length, 4)), value);
  }

  /** An attribute with a list of `count` fixed-length strings. */
  fixedTexts(name: string, text: string, count: number): Message {
    const value = join(...Array.from({ length: count }, () => text));
    const type = join(number(0x13, 4), number(text.length, 4));
    const head = this.version < 2 ? number(0x0101, 8) : number(0x0102, 4);
    return this.attribute(name, type, value, join(head, number(count, 8)));
  }

  /** An attribute message of version 1 or 3. */
  attribute(name: string, type: Uint8Array, value: Uint8Array, space?: Uint8Array): Message {
    const isFirst = this.version < 2;
    const scalar = isFirst ? number(1, 8) : number(2, 4);
    const parts = [join(name, "\0"), type, space ?? scalar];
    const sizes = parts.map((part) => number(part.length, 2));
    const data = isFirst
      ? join(number(1, 2), ...sizes, ...parts.map(filled), value)
      : join(number(3, 2), ...sizes, number(0, 1), ...parts, value);
    return { type: 0x0c, data };
  }

  /** The bytes of the file, after a user block. */
  build(root: number, userBlock: Uint8Array = new Uint8Array()): Uint8Array {
    const signature = Uint8Array.of(0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a);
    const end = number(this.#content.length, 8);
    const base = number(userBlock.length, 8);
    const superblock = this.version >= 2
      ? join(
        signature,
        number(this.version, 1),
        number(0x0808, 3),
        base,
        UNDEFINED,
        end,
        number(root, 8),
      )
      : join(
        signature,
        number(this.version, 5),
        number(0x0808, 3),
        number(0, this.version === 0 ? 8 : 12),
        base,
        UNDEFINED,
        end,
        UNDEFINED,
        number(0, 8),
        number(root, 8),
      );
    const content = Uint8Array.from(this.#content);
    content.set(superblock);
    return join(userBlock, content);
  }
}

/** A hard link to an object. */
export function hardLink(name: string, address: number): Message {
  return { type: 6, data: join(number(1, 2), number(name.length, 1), name, number(address, 8)) };
}

/** A link to an object in another file. */
export function externalLink(name: string, file: string): Message {
  const target = join(number(0, 1), file, "\0", "/x\0");
  const head = join(number(1, 1), number(0x08, 1), number(64, 1), number(name.length, 1), name);
  return { type: 6, data: join(head, number(target.length, 2), target) };
}
