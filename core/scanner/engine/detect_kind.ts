import type { ByteSource } from "../contract/source.ts";

/** Kinds of content that can carry code, or other files, as their first bytes tell. */
export type ContentKind =
  | "pickle"
  | "zip"
  | "tar"
  | "7z"
  | "rar"
  | "gzip"
  | "bzip2"
  | "xz"
  | "elf"
  | "pe"
  | "macho"
  | "wasm"
  | "script";

const HEAD = 512;

const SIGNATURES: readonly (readonly [ContentKind, number, ...string[]])[] = [
  ["zip", 0, "PK\x03\x04", "PK\x05\x06"],
  ["tar", 257, "ustar"],
  ["7z", 0, "7z\xbc\xaf\x27\x1c"],
  ["rar", 0, "Rar!\x1a\x07"],
  ["gzip", 0, "\x1f\x8b\x08"],
  ["xz", 0, "\xfd7zXZ\x00"],
  ["elf", 0, "\x7fELF"],
  ["macho", 0, "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe"],
  ["wasm", 0, "\x00asm\x01\x00\x00\x00"],
  ["script", 0, "#!/", "#! /"],
];

/** Instructions that a pickle may go on with behind its protocol, besides those from 80 to 98. */
const PICKLE_OPCODES = "()02BCGIJKLMNPQSTUVX]acegilopqrst}.";
const BZIP2_BLOCKS = ["1AY&SY", "\x17rE8P\x90"];

/** Tells the kind of content by its first bytes; undefined where it is none of those. */
export function detectKind(source: ByteSource): ContentKind | undefined {
  const head = textOf(source, 0, HEAD);
  if (isSafetensors(source, head)) return undefined;
  const signed = SIGNATURES.find(([, offset, ...signatures]) =>
    signatures.some((signature) => head.startsWith(signature, offset))
  );
  if (signed !== undefined) return signed[0];
  if (isPickle(head)) return "pickle";
  if (head.startsWith("BZh") && BZIP2_BLOCKS.includes(head.slice(4, 10))) return "bzip2";
  return isPortableExecutable(source, head) ? "pe" : undefined;
}

/** The length of a safetensors header may look like the beginning of a pickle. */
function isSafetensors(source: ByteSource, head: string): boolean {
  if (head.length < 9 || head[8] !== "{") return false;
  const length = numberAt(source, 0) + numberAt(source, 4) * 2 ** 32;
  return length <= source.size - 8;
}

/** A pickle of protocol 2 or later. Older ones have no signature. */
function isPickle(head: string): boolean {
  const [first = "", protocol = "", opcode = ""] = head;
  return first === "\x80" && protocol >= "\x02" && protocol <= "\x05" && opcode !== "" &&
    (PICKLE_OPCODES.includes(opcode) || (opcode >= "\x80" && opcode <= "\x98"));
}

/** Two letters are too few to go by: their header must point to that of a program. */
function isPortableExecutable(source: ByteSource, head: string): boolean {
  return head.startsWith("MZ") && head.length >= 64 &&
    textOf(source, numberAt(source, 60), 4) === "PE\0\0";
}

function numberAt(source: ByteSource, offset: number): number {
  const bytes = source.read(offset, 4);
  return bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

function textOf(source: ByteSource, offset: number, length: number): string {
  return String.fromCharCode(...source.read(offset, length));
}
