import { type Hdf5Bytes, type Hdf5Cursor, Hdf5Error } from "./cursor.ts";
import { MAX_NAME_BYTES, readLocalName } from "./heap.ts";
import type { HeaderMessage } from "./object_header.ts";

/** Types of messages of groups (HDF5 file format, IV.A.2). */
export const LINK_INFO = 0x02;
export const LINK = 0x06;
export const SYMBOL_TABLE = 0x11;

/**
 * Whether the links of a link info message are stored in a heap instead of in messages.
 *
 * @throws {Hdf5Error} when it ends too early.
 */
export function hasDenseLinks(bytes: Hdf5Bytes, message: HeaderMessage): boolean {
  return isDense(bytes, message, 8);
}

/**
 * Whether what an info message is about is stored in a heap.
 *
 * @param orderSize The bytes of the number that comes first if the order of creation is kept.
 * @throws {Hdf5Error} when it ends too early.
 */
export function isDense(
  bytes: Hdf5Bytes,
  { address }: HeaderMessage,
  orderSize: number,
): boolean {
  const cursor = bytes.at(address + 1);
  if (cursor.number(1) & 1) cursor.skip(orderSize);
  return cursor.offset() !== undefined;
}

/** The target of a link. */
export type Hdf5Link =
  | { readonly kind: "object"; readonly name: string; readonly address: number }
  | { readonly kind: "external"; readonly name: string; readonly file: string }
  | { readonly kind: "other" };

/** Link types (HDF5 file format, IV.A.2.g). */
const HARD = 0;
const EXTERNAL = 64;

/**
 * Reads a link message.
 *
 * @throws {Hdf5Error} when it is malformed.
 */
export function readLink(bytes: Hdf5Bytes, { address }: HeaderMessage): Hdf5Link {
  const cursor = bytes.at(address);
  const version = cursor.number(1);
  if (version !== 1) throw new Hdf5Error(`Link of version ${version}`);
  const flags = cursor.number(1);
  const type = flags & 0x08 ? cursor.number(1) : HARD;
  if (flags & 0x04) cursor.skip(8);
  if (flags & 0x10) cursor.skip(1);
  const nameLength = cursor.number(1 << (flags & 3));
  const name = bytes.at(cursor.address).text(Math.min(nameLength, MAX_NAME_BYTES));
  cursor.skip(nameLength);
  switch (type) {
    case HARD:
      return toObject(name, cursor.offset());
    case EXTERNAL:
      return { kind: "external", name, file: externalFile(cursor) };
    default:
      return { kind: "other" };
  }
}

function toObject(name: string, address: number | undefined): Hdf5Link {
  return address === undefined ? { kind: "other" } : { kind: "object", name, address };
}

function externalFile(cursor: Hdf5Cursor): string {
  const length = cursor.number(2);
  cursor.skip(1);
  return cursor.nullTerminated(Math.max(0, Math.min(length - 1, MAX_NAME_BYTES)));
}

/** Nodes in the B-tree of one group. */
const MAX_NODES = 100_000;

/** An object in a version 1 group. */
export interface SymbolTableEntry {
  readonly address: number;
  /**
   * Reads its name in the group.
   *
   * @throws {Hdf5Error} when it is outside of the group's heap.
   */
  name(): string;
}

/**
 * The objects in a version 1 group, from the B-tree of its symbol table message.
 *
 * @throws {Hdf5Error} when the B-tree is malformed.
 */
export function* symbolTableObjects(
  bytes: Hdf5Bytes,
  { address }: HeaderMessage,
): Generator<SymbolTableEntry, void, void> {
  const table = bytes.at(address);
  const left = [table.offset()];
  const heap = table.address;
  const seen = new Set<number>();
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (seen.size > MAX_NODES) throw new Hdf5Error("Too many nodes in a tree");
    const signature = bytes.at(node).text(4);
    if (signature === "TREE") left.push(...children(bytes, node));
    else yield* symbols(bytes, node, heap);
  }
}

function* children(bytes: Hdf5Bytes, node: number): Generator<number, void, void> {
  const cursor = bytes.at(node);
  cursor.expect("TREE");
  cursor.skip(2);
  const entries = cursor.number(2);
  // The addresses of both siblings come first, then a key before each child.
  cursor.skip(2 * bytes.sizes.offset);
  for (let entry = 0; entry < entries; entry++) {
    cursor.skip(bytes.sizes.length);
    const child = cursor.offset();
    if (child !== undefined) yield child;
  }
}

/** @param heapAddress Where the address of the heap of names is. */
function* symbols(
  bytes: Hdf5Bytes,
  node: number,
  heapAddress: number,
): Generator<SymbolTableEntry, void, void> {
  const cursor = bytes.at(node);
  cursor.expect("SNOD");
  cursor.skip(2);
  const entries = cursor.number(2);
  for (let entry = 0; entry < entries; entry++) {
    const nameOffset = cursor.number(bytes.sizes.offset);
    const header = cursor.offset();
    cursor.skip(24);
    if (header === undefined) continue;
    yield { address: header, name: () => nameAt(bytes, heapAddress, nameOffset) };
  }
}

function nameAt(bytes: Hdf5Bytes, heapAddress: number, nameOffset: number): string {
  const heap = bytes.at(heapAddress).offset();
  if (heap === undefined) throw new Hdf5Error("A group without a heap of names");
  return readLocalName(bytes, heap, nameOffset);
}

/**
 * The files that hold the data of a dataset, from its external data files message.
 *
 * @throws {Hdf5Error} when the message is malformed.
 */
export function externalDataFiles(bytes: Hdf5Bytes, { address }: HeaderMessage): string[] {
  const cursor = bytes.at(address);
  cursor.skip(6);
  const slots = cursor.number(2);
  const heap = cursor.offset();
  if (heap === undefined) return [];
  return Array.from({ length: slots }, () => {
    const name = readLocalName(bytes, heap, cursor.length());
    cursor.skip(2 * bytes.sizes.length);
    return name;
  });
}
