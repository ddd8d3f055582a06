/**
 * Random access to the bytes of a file or a member. Reads are synchronous, since scanners run in a
 * thread of their own.
 */
export interface ByteSource {
  /** Bytes. */
  readonly size: number;
  /** Whether the content goes on after its end: a limit of the scan kept the rest from being unpacked. */
  readonly isCut?: boolean | undefined;
  /**
   * Returns `length` bytes from `offset`, or fewer at the end of the content. Later reads do not change
   * the returned bytes.
   *
   * @throws {RangeError} if offset or length is negative or not an integer.
   */
  read(offset: number, length: number): Uint8Array;
  /**
   * Reads bytes from `offset` into `target`, and returns how many. For those who look at all bytes once:
   * memory for each read takes longer than reading.
   */
  readInto?(offset: number, target: Uint8Array): number;
  /** Returns the CRC-32 of a range if it is known without reading most of it. */
  crc32?(offset: number, length: number): number | undefined;
}

/** A source of bytes in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read(offset, length) {
      assertRange(offset, length);
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** A source of what a limit left of content. */
export function cutSource(source: ByteSource): ByteSource {
  return {
    size: source.size,
    isCut: true,
    read: (offset, length) => source.read(offset, length),
  };
}

/**
 * A source of part of another, such as a stored member: `size` bytes from `start`, or fewer at the end
 * of the content.
 *
 * @throws {RangeError} if start or size is negative or not an integer.
 */
export function sourceSlice(source: ByteSource, start: number, size: number): ByteSource {
  const first = Math.min(start, source.size);
  const available = Math.min(size, source.size - first);
  assertRange(first, available);
  return {
    size: available,
    isCut: source.isCut && first + size >= source.size,
    read(offset, length) {
      assertRange(offset, length);
      return offset >= available
        ? new Uint8Array()
        : source.read(first + offset, Math.min(length, available - offset));
    },
    crc32: (offset, length) =>
      offset + length > available ? undefined : source.crc32?.(first + offset, length),
  };
}

/** @throws {RangeError} if offset or length is negative or not an integer. */
export function assertRange(offset: number, length: number): void {
  if (Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0) {
    return;
  }
  throw new RangeError(`Cannot read ${length} bytes at ${offset}`);
}
