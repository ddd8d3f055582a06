/**
 * The bytes of a file, or of a member of one, at any place. Reading is synchronous, for scanners run
 * in a thread of their own.
 */
export interface ByteSource {
  readonly size: number;
  /**
   * The bytes from `offset` on: `length` of them, or fewer where the content ends before. They stay as
   * they are, whatever is read later.
   *
   * @throws {RangeError} where the offset or the length is negative or no whole number.
   */
  read(offset: number, length: number): Uint8Array;
}

/** Bytes in memory as a source. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read(offset, length) {
      refuseBadRange(offset, length);
      return bytes.subarray(offset, offset + length);
    },
  };
}

/**
 * A part of a source, such as a member that is stored as it is: from `start` on, `size` bytes or as
 * many as there are.
 */
export function sourceSlice(source: ByteSource, start: number, size: number): ByteSource {
  const first = Math.min(start, source.size);
  const length = Math.min(size, source.size - first);
  refuseBadRange(first, length);
  return {
    size: length,
    read(offset, wanted) {
      refuseBadRange(offset, wanted);
      return offset >= length
        ? new Uint8Array()
        : source.read(first + offset, Math.min(wanted, length - offset));
    },
  };
}

function refuseBadRange(offset: number, length: number): void {
  if (Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0) {
    return;
  }
  throw new RangeError(`Cannot read ${length} bytes at ${offset}`);
}
