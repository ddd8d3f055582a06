import { HeaderError } from "./header.ts";
import type { Member, Members, ReadPart } from "./members.ts";

const BLOCK = 512;
/** How much is read at once: small members lie close together. */
const WINDOW = 65_536;
/** Requests for the headers of one archive. */
const MAX_READS = 200;
/** The longest name in a block of its own. */
const MAX_NAME = 8192;

/**
 * Lists the members of a TAR by their headers, which lie between them.
 *
 * @param size Of the file, in bytes.
 * @throws {HeaderError} when a header is malformed.
 */
export async function readTar(read: ReadPart, size: number): Promise<Members> {
  const members: Member[] = [];
  let reads = 0;
  let window = { start: 0, bytes: new Uint8Array(0) };
  let longName: string | undefined;
  const part = async (start: number, bytes: number) => {
    if (start < window.start || start + bytes > window.start + window.bytes.length) {
      reads++;
      window = { start, bytes: await read(start, Math.min(size, start + WINDOW)) };
    }
    return window.bytes.subarray(start - window.start, start - window.start + bytes);
  };
  for (let at = 0; at + BLOCK <= size;) {
    if (reads >= MAX_READS) return { members, isCut: true };
    const header = await part(at, BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const bytes = sizeOf(header);
    const content = at + BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if ((type === "L" || type === "x") && bytes <= MAX_NAME) {
      const text = textOf(await part(content, Math.min(bytes, size - content)));
      longName = type === "L" ? text : pathIn(text);
    } else if (type !== "g" && type !== "K") {
      members.push({ name: longName ?? nameOf(header), size: bytes });
      longName = undefined;
    }
    at = content + Math.ceil(bytes / BLOCK) * BLOCK;
  }
  return { members, isCut: false };
}

/** The size in a header: octal digits, or a number in base 256. */
function sizeOf(header: Uint8Array): number {
  const field = header.subarray(124, 136);
  const [first = 0] = field;
  const size = first >= 0x80
    ? field.subarray(1).reduce((sum, byte) => sum * 256 + byte, first & 0x7f)
    : parseInt(textOf(field).trim() || "0", 8);
  if (!Number.isSafeInteger(size)) throw new HeaderError("A header of the archive is malformed");
  return size;
}

function nameOf(header: Uint8Array): string {
  const prefix = textOf(header.subarray(345, 500));
  const name = textOf(header.subarray(0, 100));
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** The path in a header of pax: lines of a length, a key and a value. */
function pathIn(text: string): string | undefined {
  return /^\d{1,9} path=(.{1,8192})$/m.exec(text)?.[1];
}

/** The text before the first NUL. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
}
