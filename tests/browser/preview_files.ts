/** Files that the console shows, made for tests. */

import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";

type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** Two columns and three rows, written by hyparquet-writer. */
export const PARQUET: Bytes = Uint8Array.fromBase64(
  "UEFSMRUGFTIVNFwVBhUAFQYVABUEFQAAAAMHFxgDAAAAb25lAQcsdHdvBQAAAHRocmVlFQYVHBUgXBUGFQAVBhUAFQQV" +
    "AAAAAwcMLAEAAAACAAAAAwAAABUEGTxIBHJvb3QVBAAVDCUCGAR0ZXh0JQAAFQIlAhgFbGFiZWwAFgYZHBksJggcFQwZ" +
    "FQAZGAR0ZXh0FQIWBhZcFl4mCDw2ACgDdHdvGANvbmUAGRwVBhUAFQIAAAAmZhwVAhkVABkYBWxhYmVsFQIWBhZGFkom" +
    "Zjw2ACgEAwAAABgEAQAAAAAZHBUGFQAVAgAAABaiARYGNqgBACgJaHlwYXJxdWV0GSwcAAAcAAAAsAAAAFBBUjE=",
);

/** An image in one color. */
export function png(width = 8, height = 8): Bytes {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  // Three colors of 8 bits.
  header.setUint16(8, 0x0802);
  const rows = new Uint8Array(height * (1 + 3 * width)).fill(0x80);
  for (let row = 0; row < height; row++) rows[row * (1 + 3 * width)] = 0;
  return joined(
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("IDAT", new Uint8Array(deflateSync(rows))),
    chunk("IEND", new Uint8Array(0)),
  );
}

function chunk(type: string, content: Bytes): Bytes {
  const body = joined(encoder.encode(type), content);
  return joined(uint32(content.length), body, uint32(crc32(body)));
}

function uint32(value: number): Bytes {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value);
  return new Uint8Array(view.buffer);
}

/** A ZIP whose members are not packed. */
export function zip(members: Readonly<Record<string, string | Bytes>>): Bytes {
  const parts: Bytes[] = [];
  const directory: Bytes[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(members)) {
    const bytes = typeof content === "string" ? encoder.encode(content) : content;
    const path = encoder.encode(name);
    // Version, a flag for UTF-8, and neither packing nor a time.
    const facts = joined(
      Uint8Array.of(20, 0, 0, 8, 0, 0, 0, 0, 0, 0),
      little(crc32(bytes), 4),
      little(bytes.length, 4),
      little(bytes.length, 4),
      little(path.length, 2),
      little(0, 2),
    );
    const local = joined(encoder.encode("PK\x03\x04"), facts, path, bytes);
    directory.push(joined(
      encoder.encode("PK\x01\x02"),
      ...[little(20, 2), facts, little(0, 10), little(offset, 4), path],
    ));
    parts.push(local);
    offset += local.length;
  }
  const list = joined(...directory);
  const count = little(directory.length, 2);
  return joined(
    ...parts,
    list,
    encoder.encode("PK\x05\x06"),
    ...[little(0, 4), count, count, little(list.length, 4), little(offset, 4), little(0, 2)],
  );
}

function little(value: number, bytes: number): Bytes {
  return Uint8Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** at) % 256);
}

/** A TAR. */
export function tar(members: Readonly<Record<string, string>>): Bytes {
  const blocks = Object.entries(members).flatMap(([name, text]) => {
    const content = encoder.encode(text);
    const header = new Uint8Array(512);
    header.set(encoder.encode(name).subarray(0, 100));
    header.set(encoder.encode(content.length.toString(8).padStart(11, "0")), 124);
    header.set(encoder.encode("0"), 156);
    header.set(encoder.encode("ustar\x0000"), 257);
    header.set(encoder.encode("        "), 148);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.set(encoder.encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
    const padded = new Uint8Array(Math.ceil(content.length / 512) * 512);
    padded.set(content);
    return [header, padded];
  });
  return joined(...blocks, new Uint8Array(1024));
}

/** A notebook of some cells. */
export function notebook(cells: readonly unknown[]): string {
  return JSON.stringify({
    cells,
    metadata: { kernelspec: { language: "python" } },
    ...{ nbformat: 4, nbformat_minor: 5 },
  });
}

/** A safetensors file that has a header and no values. */
export function safetensors(header: unknown): Bytes {
  const text = encoder.encode(JSON.stringify(header));
  return joined(little(text.length, 8), text);
}

function joined(...parts: readonly Uint8Array[]): Bytes {
  return new Uint8Array(Buffer.concat(parts));
}
