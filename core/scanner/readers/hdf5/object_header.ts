import { type Hdf5Bytes, type Hdf5Cursor, Hdf5Error } from "./cursor.ts";

/** A message of an object's header. */
export interface HeaderMessage {
  readonly type: number;
  readonly address: number;
  readonly size: number;
  /** Whether it is only the address of a message that is shared. */
  readonly isShared: boolean;
}

/** Messages that are read of one object. */
const MAX_MESSAGES = 100_000;
const CONTINUATION = 0x10;
const FLAG_SHARED = 0x02;

/** Where messages lie, and how each of them begins. */
interface Block {
  readonly start: number;
  readonly end: number;
}

/**
 * The messages of the object whose header is at the address, of version 1 or 2, with its continuations.
 *
 * @throws {Hdf5Error} where it is no header, or one that is cut off.
 */
export function* readMessages(
  bytes: Hdf5Bytes,
  address: number,
): Generator<HeaderMessage, void, void> {
  const isSecond = new TextDecoder().decode(bytes.read(address, 4)) === "OHDR";
  const { block, hasOrder } = isSecond
    ? secondVersion(bytes, address)
    : firstVersion(bytes, address);
  const blocks = [block];
  let messages = 0;
  for (let next = blocks.pop(); next !== undefined; next = blocks.pop()) {
    for (const message of messagesIn(bytes, next, isSecond, hasOrder)) {
      messages += 1;
      if (messages > MAX_MESSAGES) throw new Hdf5Error("Too many messages in a header");
      if (message.type === CONTINUATION) {
        blocks.push(continuation(bytes.at(message.address), isSecond));
      } else yield message;
    }
  }
}

const FIRST_PREFIX_BYTES = 16;

function firstVersion(bytes: Hdf5Bytes, address: number): { block: Block; hasOrder: boolean } {
  const cursor = bytes.at(address);
  const version = cursor.number(1);
  if (version !== 1) throw new Hdf5Error(`Object header of version ${version}`);
  cursor.skip(7);
  const start = address + FIRST_PREFIX_BYTES;
  return { block: { start, end: start + cursor.number(4) }, hasOrder: false };
}

function secondVersion(bytes: Hdf5Bytes, address: number): { block: Block; hasOrder: boolean } {
  const cursor = bytes.at(address);
  cursor.expect("OHDR");
  const version = cursor.number(1);
  if (version !== 2) throw new Hdf5Error(`Object header of version ${version}`);
  const flags = cursor.number(1);
  if (flags & 0x20) cursor.skip(16);
  if (flags & 0x10) cursor.skip(4);
  const size = cursor.number(1 << (flags & 3));
  const start = cursor.address;
  return { block: { start, end: start + size }, hasOrder: (flags & 0x04) !== 0 };
}

function continuation(cursor: Hdf5Cursor, isSecond: boolean): Block {
  const start = cursor.offset();
  const size = cursor.length();
  if (start === undefined) throw new Hdf5Error("A continuation without an address");
  // The second version has a signature before its messages, and a checksum after them.
  return isSecond ? { start: start + 4, end: start + size - 4 } : { start, end: start + size };
}

function* messagesIn(
  bytes: Hdf5Bytes,
  { start, end }: Block,
  isSecond: boolean,
  hasOrder: boolean,
): Generator<HeaderMessage, void, void> {
  const headSize = isSecond ? (hasOrder ? 6 : 4) : 8;
  for (let address = start; address + headSize <= end;) {
    const cursor = bytes.at(address);
    const type = cursor.number(isSecond ? 1 : 2);
    const size = cursor.number(2);
    const isShared = (cursor.number(1) & FLAG_SHARED) !== 0;
    const data = address + headSize;
    if (data + size > end) throw new Hdf5Error("A message ends after its header");
    yield { type, address: data, size, isShared };
    address = data + size;
  }
}
