import { excerpt } from "../../contract/excerpt.ts";
import type { Check, Content, Scanner } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { viewOf } from "../../readers/bytes/bytes.ts";
import { MIB } from "../../../../schemas/units.ts";
import { namesOfDanger } from "../keras/code.ts";

const CHECK = "Python Bytecode";

/** How much of the code is searched for names. */
const MAX_SEARCHED_BYTES = 16 * MIB;

const MAX_LISTED_NAMES = 10;

/** Finds compiled Python code, in a `.pyc` file or by itself, whatever its name. */
export const pythonBytecodeScanner: Scanner = {
  id: "python_bytecode",
  matches: ({ source }) => codeStart(source) !== undefined,
  *scan({ source }: Content): Generator<Check, void, void> {
    const start = codeStart(source) ?? 0;
    const names = namesOfDanger(source.read(start, MAX_SEARCHED_BYTES));
    const uses = names.length === 0
      ? ""
      : ` that uses ${excerpt(names.slice(0, MAX_LISTED_NAMES).join(", "))}`;
    const isCut = source.size - start > MAX_SEARCHED_BYTES;
    yield {
      name: CHECK,
      status: "failed",
      severity: "warning",
      ruleCode: "S507",
      message: `The file is compiled Python code${uses}`,
      position: start,
      why: "Whoever imports or unmarshals it runs code that cannot be read",
      ...(isCut && { incomplete: "code_limit", operational: true }),
    };
  },
};

/** The bytes before the code: none, or the header of Python 2, of 3.3 and of 3.7. */
const HEADERS = [0, 8, 12, 16];

/** The bytes between the type of a code object and its instructions, by version of Python: numbers. */
const NUMBERS = [16, 20, 24];

const HEAD_BYTES = 48;

const REFERENCE_FLAG = 0x80;
const CODE = "c".charCodeAt(0);
const STRING = "s".charCodeAt(0);

/** The offset of the code object with which content begins, after a header if it has one. */
function codeStart(source: ByteSource): number | undefined {
  const head = source.read(0, HEAD_BYTES);
  const hasMagic = head[2] === 0x0d && head[3] === 0x0a;
  return HEADERS.find((start) =>
    (start > 0) === hasMagic && isCode(head.subarray(start), source.size)
  );
}

/** Whether bytes begin with a code object: small numbers, then the instructions as bytes. */
function isCode(bytes: Uint8Array, size: number): boolean {
  if (typeOf(bytes[0]) !== CODE) return false;
  const view = viewOf(bytes);
  return NUMBERS.some((length) => {
    const at = 1 + length;
    if (view.byteLength < at + 5 || typeOf(bytes[at]) !== STRING) return false;
    const instructions = view.getUint32(at + 1, true);
    // Arguments, variables and the depth of the stack; the last number is flags.
    for (let number = 1; number < at - 4; number += 4) {
      if (view.getUint32(number, true) > 0xffff) return false;
    }
    return instructions > 0 && instructions < size;
  });
}

function typeOf(byte = 0): number {
  return byte & ~REFERENCE_FLAG;
}
