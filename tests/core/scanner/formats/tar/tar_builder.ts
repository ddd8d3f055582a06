/** Builds TAR archives, correct and broken. */

import { Buffer } from "node:buffer";

/** An entry of an archive. */
export interface Entry {
  name: string;
  data?: Uint8Array | string;
  type?: string;
  target?: string;
  /** Raw size field, if it differs from the true size. */
  size?: string;
  /** Whether to leave out the signature, as old archives do. */
  old?: boolean;
}

function header({ name, type = "0", target = "", size, old }: Entry, length: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(name.slice(0, 100), 0);
  block.write("0000644\0", 100);
  block.write(size ?? `${length.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  block.write("00000000000\0", 136);
  block.fill(" ", 148, 156);
  block.write(type, 156);
  block.write(target.slice(0, 100), 157);
  if (!old) block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** An entry with its header, padded to whole blocks. */
export function member(entry: Entry): Buffer {
  const data = Buffer.from(entry.data ?? "");
  return Buffer.concat([header(entry, data.length), data, Buffer.alloc(-data.length & 511)]);
}

/** A TAR archive that ends with `end` zero bytes. */
export function tarOf(entries: readonly Entry[], end = 1024): Buffer {
  return Buffer.concat([...entries.map(member), Buffer.alloc(end)]);
}
