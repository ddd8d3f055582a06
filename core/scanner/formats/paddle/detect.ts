import type { Content } from "../../contract/scanner.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { readVarint } from "../../readers/protobuf/varint.ts";

/** The first block: its index 0, and that of its parent, which is -1. */
const FIRST_BLOCK = [0x08, 0x00, 0x10, ...Array<number>(9).fill(0xff), 0x01];
const HEAD_BYTES = 256;

/** Whether content is a ProgramDesc, by its name or by the start of its first block. */
export function isProgram({ name, source }: Content): boolean {
  if (/\.pdmodel$/i.test(name)) return source.size > 0;
  const head = source.read(0, 6 + FIRST_BLOCK.length);
  if (head[0] !== 0x0a) return false;
  const length = readVarint(head, 1);
  if (length === undefined) return false;
  return FIRST_BLOCK.every((byte, index) => head[1 + length.length + index] === byte);
}

/** Whether content is a program in the JSON of Paddle 3. */
export function isIrProgram({ source }: Content): boolean {
  const head = source.read(0, HEAD_BYTES);
  return head[0] === 0x7b && /^\{\s*"base_code"\s*:\s*\{[^}]*"magic"\s*:\s*"pir"/.test(
    decodeLatin1(head),
  );
}
