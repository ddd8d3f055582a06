import type { ByteSource } from "../contract/source.ts";

/** Kinds of content that can carry code or other files, recognized by their first bytes. */
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

const HEAD_BYTES = 512;

/** Kind, offset and signatures. */
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

/** Opcodes that may follow the protocol of a pickle, besides those from 0x80 to 0x98. */
const PICKLE_OPCODES = "()02BCGIJKLMNPQSTUVX]acegilopqrst}.";
const BZIP2_BLOCKS = ["1AY&SY", "\x17rE8P\x90"];

/** Detects the kind of content from its first bytes. Returns undefined if it is not one of these kinds. */
export function detectKind(source: ByteSource): ContentKind | undefined {
  const head = textOf(source, 0, HEAD_BYTES);
  if (isSafetensors(source, head)) return undefined;
  const signed = SIGNATURES.find(([, offset, ...signatures]) =>
    signatures.some((signature) => head.startsWith(signature, offset))
  );
  if (signed !== undefined) return signed[0];
  if (isPickle(head)) return "pickle";
  if (head.startsWith("BZh") && BZIP2_BLOCKS.includes(head.slice(4, 10))) return "bzip2";
  return isPortableExecutable(source, head) ? "pe" : undefined;
}

/** The header length of a safetensors file can look like the start of a pickle. */
function isSafetensors(source: ByteSource, head: string): boolean {
  if (head.length < 9 || head[8] !== "{") return false;
  const length = uint32At(source, 0) + uint32At(source, 4) * 2 ** 32;
  return length <= source.size - 8;
}

/** Whether this is a pickle of protocol 2 or later. Earlier protocols have no signature. */
function isPickle(head: string): boolean {
  const [first = "", protocol = "", opcode = ""] = head;
  return first === "\x80" && protocol >= "\x02" && protocol <= "\x05" && opcode !== "" &&
    (PICKLE_OPCODES.includes(opcode) || (opcode >= "\x80" && opcode <= "\x98"));
}

/** `MZ` alone is too short a signature: the DOS header must point to a PE header. */
function isPortableExecutable(source: ByteSource, head: string): boolean {
  return head.startsWith("MZ") && head.length >= 64 &&
    textOf(source, uint32At(source, 60), 4) === "PE\0\0";
}

function uint32At(source: ByteSource, offset: number): number {
  const bytes = source.read(offset, 4);
  return bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

function textOf(source: ByteSource, offset: number, length: number): string {
  return String.fromCharCode(...source.read(offset, length));
}
