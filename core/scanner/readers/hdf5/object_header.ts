import { type Hdf5Bytes, type Hdf5Cursor, Hdf5Error } from "./cursor.ts";

/** A message of an object header. */
export interface HeaderMessage {
  readonly type: number;
  /** The address of the message data. */
  readonly address: number;
  readonly size: number;
  /** Whether the data is only the address of a message that is shared. */
  readonly isShared: boolean;
}

/** Messages of one object. */
const MAX_MESSAGES = 100_000;
const CONTINUATION = 0x10;
const FLAG_SHARED = 0x02;

/** A run of messages, by addresses. */
interface Block {
  readonly start: number;
  readonly end: number;
}

/** How one version of object headers lays out its messages. */
interface Layout {
  readonly version: 1 | 2;
  readonly first: Block;
  /** Bytes of a message before its data. */
  readonly prefixBytes: number;
}

/**
 * The messages of the object whose header is at the address, including its continuations.
 *
 * @throws {Hdf5Error} when the header is malformed or truncated.
 */
export function readMessages(
  bytes: Hdf5Bytes,
  address: number,
): Generator<HeaderMessage, void, void> {
  const isVersion2 = bytes.at(address).text(4) === "OHDR";
  const layout = isVersion2 ? readVersion2(bytes.at(address)) : readVersion1(bytes.at(address));
  return new MessageReader(bytes, layout).messages();
}

const VERSION_1_HEADER_BYTES = 16;

/** HDF5 file format, IV.A.1.a. */
function readVersion1(cursor: Hdf5Cursor): Layout {
  const start = cursor.address + VERSION_1_HEADER_BYTES;
  const version = cursor.number(1);
  if (version !== 1) throw new Hdf5Error(`Object header of version ${version}`);
  cursor.skip(7);
  return { version, first: { start, end: start + cursor.number(4) }, prefixBytes: 8 };
}

/** HDF5 file format, IV.A.1.b. */
function readVersion2(cursor: Hdf5Cursor): Layout {
  cursor.expect("OHDR");
  const version = cursor.number(1);
  if (version !== 2) throw new Hdf5Error(`Object header of version ${version}`);
  const flags = cursor.number(1);
  if (flags & 0x20) cursor.skip(16);
  if (flags & 0x10) cursor.skip(4);
  const size = cursor.number(1 << (flags & 3));
  const start = cursor.address;
  const isOrdered = (flags & 0x04) !== 0;
  return { version, first: { start, end: start + size }, prefixBytes: isOrdered ? 6 : 4 };
}

/** Where the data of a shared message is: in the header of another object (IV.A.2). */
const COMMITTED = 2;

/**
 * The message of this type in the header of the object that a shared message names by its address, such as a
 * committed datatype. Returns undefined for a message that is stored in a heap.
 *
 * @throws {Hdf5Error} when one of them is malformed.
 */
export function sharedMessage(
  bytes: Hdf5Bytes,
  { type, address }: Pick<HeaderMessage, "type" | "address">,
): HeaderMessage | undefined {
  const cursor = bytes.at(address);
  const version = cursor.number(1);
  const kind = cursor.number(1);
  if (version === 1) cursor.skip(6);
  else if (version === 3 && kind !== COMMITTED) return undefined;
  const object = cursor.offset();
  if (object === undefined) return undefined;
  for (const message of readMessages(bytes, object)) {
    // One that is shared itself would be a cycle, or a chain that no library follows.
    if (message.type === type && !message.isShared) return message;
  }
  return undefined;
}

class MessageReader {
  readonly #bytes: Hdf5Bytes;
  readonly #layout: Layout;

  constructor(bytes: Hdf5Bytes, layout: Layout) {
    this.#bytes = bytes;
    this.#layout = layout;
  }

  *messages(): Generator<HeaderMessage, void, void> {
    const blocks = [this.#layout.first];
    let messages = 0;
    for (let next = blocks.pop(); next !== undefined; next = blocks.pop()) {
      for (const message of this.#messagesIn(next)) {
        messages += 1;
        if (messages > MAX_MESSAGES) throw new Hdf5Error("Too many messages in a header");
        if (message.type === CONTINUATION) blocks.push(this.#continuation(message));
        else yield message;
      }
    }
  }

  #continuation({ address }: HeaderMessage): Block {
    const cursor = this.#bytes.at(address);
    const start = cursor.offset();
    const size = cursor.length();
    if (start === undefined) throw new Hdf5Error("A continuation without an address");
    const end = start + size;
    // Version 2 has a signature before the messages and a checksum after them.
    return this.#layout.version === 1 ? { start, end } : { start: start + 4, end: end - 4 };
  }

  *#messagesIn({ start, end }: Block): Generator<HeaderMessage, void, void> {
    const { version, prefixBytes } = this.#layout;
    for (let address = start; address + prefixBytes <= end;) {
      const cursor = this.#bytes.at(address);
      const type = cursor.number(version === 1 ? 2 : 1);
      const size = cursor.number(2);
      const isShared = (cursor.number(1) & FLAG_SHARED) !== 0;
      const data = address + prefixBytes;
      if (data + size > end) throw new Hdf5Error("A message ends after its header");
      yield { type, address: data, size, isShared };
      address = data + size;
    }
  }
}
