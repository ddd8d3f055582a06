import { Buffer } from "node:buffer";
import { crc32, deflateRawSync } from "node:zlib";

/** Fields of a header that a test can forge. */
export interface HeaderFields {
  name?: string;
  flags?: number;
  method?: number;
  crc?: number;
  packedSize?: number;
  size?: number;
  extra?: Uint8Array;
}

/** A member to write. `local` and `central` override the true values in its headers. */
export interface ZipTestMember {
  name: string;
  data: Uint8Array | string;
  method?: number;
  /** The stored bytes, if they differ from the compressed `data`. */
  packed?: Uint8Array;
  flags?: number;
  mode?: number;
  local?: HeaderFields & { signature?: number };
  central?: HeaderFields & { offset?: number };
  /** Whether to leave the member out of the directory. */
  unlisted?: boolean;
  /** Bytes after the data. */
  after?: Uint8Array;
}

/** The parts of an archive other than its members. */
export interface ArchiveOptions {
  prefix?: Uint8Array;
  suffix?: Uint8Array;
  comment?: Uint8Array;
  /** Overrides fields of the end record. */
  end?: { entries?: number; size?: number; offset?: number; commentLength?: number };
  /** Writes ZIP64 records. The fields override the true values. */
  zip64?: { entries?: bigint; size?: bigint; offset?: bigint; locator?: bigint };
}

/** Builds a ZIP archive, valid or forged. */
export function zipOf(members: readonly ZipTestMember[], options: ArchiveOptions = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const member of members) {
    const { local, central } = headersOf(member, offset);
    parts.push(...local);
    offset += Buffer.concat(local).length;
    if (!member.unlisted) directory.push(central);
  }
  const central = Buffer.concat(directory);
  return Buffer.concat([
    options.prefix ?? zipBytes(),
    ...parts,
    central,
    ...zip64Records(directory.length, central.length, offset, options.zip64),
    endRecord(directory.length, central.length, offset, options),
    options.suffix ?? zipBytes(),
  ]);
}

/** Concatenates byte values and strings. */
export function zipBytes(...values: (number | string)[]): Uint8Array {
  return Buffer.concat(
    values.map((value) => typeof value === "string" ? Buffer.from(value) : Buffer.of(value)),
  );
}

function headersOf(
  member: ZipTestMember,
  offset: number,
): { local: Uint8Array[]; central: Uint8Array } {
  const data = typeof member.data === "string" ? zipBytes(member.data) : member.data;
  const method = member.method ?? 0;
  const packed = member.packed ?? (method === 8 ? deflateRawSync(data) : data);
  const truth = {
    name: member.name,
    flags: member.flags ?? 0,
    method,
    crc: crc32(data),
    packedSize: packed.length,
    size: data.length,
    extra: zipBytes(),
  };
  const local = { ...truth, ...member.local };
  const central = { ...truth, ...member.central };
  return {
    local: [localHeader(local, member.local?.signature), packed, member.after ?? zipBytes()],
    central: centralEntry(central, member.mode ?? 0, member.central?.offset ?? offset),
  };
}

function sharedFields(fields: Required<HeaderFields>): Uint8Array {
  const name = Buffer.from(fields.name);
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(fields.flags, 2);
  header.writeUInt16LE(fields.method, 4);
  header.writeUInt32LE(fields.crc, 10);
  header.writeUInt32LE(fields.packedSize, 14);
  header.writeUInt32LE(fields.size, 18);
  header.writeUInt16LE(name.length, 22);
  header.writeUInt16LE(fields.extra.length, 24);
  return header;
}

function localHeader(fields: Required<HeaderFields>, signature = 0x04034b50): Uint8Array {
  const start = Buffer.alloc(4);
  start.writeUInt32LE(signature, 0);
  return Buffer.concat([start, sharedFields(fields), Buffer.from(fields.name), fields.extra]);
}

function centralEntry(fields: Required<HeaderFields>, mode: number, offset: number): Uint8Array {
  const tail = Buffer.alloc(14);
  tail.writeUInt16LE(mode, 8);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([
    zipBytes("PK\x01\x02", 20, 3),
    sharedFields(fields),
    tail,
    Buffer.from(fields.name),
    fields.extra,
  ]);
}

function endRecord(
  entries: number,
  size: number,
  offset: number,
  { end, comment = zipBytes() }: ArchiveOptions,
): Uint8Array {
  const record = Buffer.alloc(22);
  record.write("PK\x05\x06", "latin1");
  record.writeUInt16LE(end?.entries ?? entries, 8);
  record.writeUInt16LE(end?.entries ?? entries, 10);
  record.writeUInt32LE(end?.size ?? size, 12);
  record.writeUInt32LE(end?.offset ?? offset, 16);
  record.writeUInt16LE(end?.commentLength ?? comment.length, 20);
  return Buffer.concat([record, comment]);
}

function zip64Records(
  entries: number,
  size: number,
  offset: number,
  zip64: ArchiveOptions["zip64"],
): Uint8Array[] {
  if (!zip64) return [];
  const record = Buffer.alloc(56);
  record.write("PK\x06\x06", "latin1");
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(zip64.entries ?? BigInt(entries), 24);
  record.writeBigUInt64LE(zip64.entries ?? BigInt(entries), 32);
  record.writeBigUInt64LE(zip64.size ?? BigInt(size), 40);
  record.writeBigUInt64LE(zip64.offset ?? BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.write("PK\x06\x07", "latin1");
  locator.writeBigUInt64LE(zip64.locator ?? BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return [record, locator];
}
