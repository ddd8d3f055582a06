/** The content is damaged, or not in the format. */
export class DamagedData extends Error {
  override readonly name = "DamagedData";
}

/** The content uses a part of its format that is not supported. */
export class UnsupportedData extends Error {
  override readonly name = "UnsupportedData";
}

/** No more bytes may be unpacked. */
export class OutputFull extends Error {
  override readonly name = "OutputFull";
}

/** Bytes that are reserved at once. */
const RESERVED_BYTES = 2 ** 20;

/** The buffer doubles, but grows by no more than this, so that it takes little more than its content. */
const MAX_GROWTH_BYTES = 32 * 2 ** 20;

/** Unpacked bytes, of which later ones copy earlier ones. Grows within what it is granted. */
export class OutputBuffer {
  readonly #grant: (bytes: number) => number;
  #granted = 0;
  /** Valid up to `length`. The array changes when the buffer grows. */
  bytes = new Uint8Array(64 * 1024);
  length = 0;

  /** @param grant Returns how many of the requested bytes may be unpacked besides those before. */
  constructor(grant: (bytes: number) => number) {
    this.#grant = grant;
  }

  /**
   * Makes room for further bytes.
   *
   * @throws {OutputFull} when they are not granted.
   */
  reserve(count: number): void {
    const needed = this.length + count;
    while (needed > this.#granted) {
      const granted = this.#grant(Math.max(RESERVED_BYTES, needed - this.#granted));
      if (granted === 0) throw new OutputFull();
      this.#granted += granted;
    }
    if (needed <= this.bytes.length) return;
    const more = Math.min(this.bytes.length, MAX_GROWTH_BYTES);
    const grown = new Uint8Array(Math.max(needed, this.bytes.length + more));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  /** Appends a copy of bytes, or as many as are granted. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Repeats `count` bytes from `distance` before the end. The caller has made room for them. */
  repeat(distance: number, count: number): void {
    const { bytes } = this;
    const from = this.length - distance;
    if (distance >= count) bytes.copyWithin(this.length, from, from + count);
    else for (let i = 0; i < count; i++) bytes[this.length + i] = bytes[from + i] ?? 0;
    this.length += count;
  }

  /** The bytes so far, without a copy. */
  content(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}
