import { viewOf } from "../../readers/bytes/bytes.ts";
import type { RuleCode } from "../../contract/rules.ts";
import type { Check, Content, Scanner } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";

/** Finds executables among models by their content, whatever their name. */
export const executableScanner: Scanner = {
  id: "executable",
  matches: ({ source }) => executableFormat(source) !== undefined,
  *scan({ source }: Content): Generator<Check, void, void> {
    const found = executableFormat(source);
    if (found === undefined) return;
    const { format, ruleCode, native } = found;
    yield {
      name: "Executable File",
      status: "failed",
      severity: native ? "critical" : "warning",
      ruleCode,
      message: `The file is ${format}`,
      position: 0,
    };
  },
};

/** A format that an operating system or a runtime executes. */
interface ExecutableFormat {
  readonly format: string;
  readonly ruleCode: RuleCode;
  /** Whether the operating system runs it, outside of a sandbox. */
  readonly native: boolean;
}

const PE: ExecutableFormat = {
  format: "a Windows executable (PE)",
  ruleCode: "S501",
  native: true,
};
const ELF: ExecutableFormat = {
  format: "a Linux executable (ELF)",
  ruleCode: "S502",
  native: true,
};
const MACH_O: ExecutableFormat = {
  format: "a macOS executable (Mach-O)",
  ruleCode: "S503",
  native: true,
};
const WASM: ExecutableFormat = { format: "a WebAssembly module", ruleCode: "S509", native: false };

/** Covers the headers of all formats except the second header of PE. */
const HEAD_BYTES = 64;

/**
 * Detects PE, ELF, Mach-O and WebAssembly. Checks the whole header, because weights may begin with the
 * same two or four bytes.
 */
function executableFormat(source: ByteSource): ExecutableFormat | undefined {
  const bytes = source.read(0, HEAD_BYTES);
  if (bytes.length < 8) return undefined;
  const head = viewOf(bytes);
  switch (head.getUint32(0)) {
    case 0x7f454c46:
      return isElf(head) ? ELF : undefined;
    case 0x0061736d:
      return head.getUint32(4, true) === 1 || head.getUint32(4, true) === 0x1000d
        ? WASM
        : undefined;
    case 0xfeedface:
    case 0xfeedfacf:
      return isMachO(head, false) ? MACH_O : undefined;
    case 0xcefaedfe:
    case 0xcffaedfe:
      return isMachO(head, true) ? MACH_O : undefined;
    case 0xcafebabe:
    case 0xcafebabf:
      return isUniversal(head, source.size) ? MACH_O : undefined;
    default:
      return head.getUint16(0) === 0x4d5a && isPe(head, source) ? PE : undefined;
  }
}

/** Operating systems check the type, but not class, byte order or version. */
function isElf(head: DataView): boolean {
  if (head.byteLength < 52) return false;
  const isType = (type: number) => type >= 1 && type <= 4;
  return isType(head.getUint16(16, true)) || isType(head.getUint16(16, false));
}

/** CPU types in Mach-O headers, without the flags for 64 bits. */
const CPU_TYPES: ReadonlySet<number> = new Set([1, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 18]);

function isMachO(head: DataView, littleEndian: boolean): boolean {
  if (head.byteLength < 28) return false;
  const fileType = head.getUint32(12, littleEndian);
  return isCpuType(head.getUint32(4, littleEndian)) && fileType >= 1 && fileType <= 15;
}

function isCpuType(type: number): boolean {
  return CPU_TYPES.has(type & 0xffffff);
}

/** A universal binary. Java class files have the same magic number, then a version of 45 or more. */
function isUniversal(head: DataView, size: number): boolean {
  if (head.byteLength < 28) return false;
  const count = head.getUint32(4);
  const is64 = head.getUint32(0) === 0xcafebabf;
  const offset = is64 ? head.getBigUint64(16) : BigInt(head.getUint32(16));
  return count >= 1 && count < 45 && isCpuType(head.getUint32(8)) && offset < BigInt(size);
}

const PE_SIGNATURE = 0x50450000;

/** Whether `e_lfanew` points to a PE header. */
function isPe(head: DataView, source: ByteSource): boolean {
  if (head.byteLength < HEAD_BYTES) return false;
  const offset = head.getUint32(0x3c, true);
  const bytes = source.read(offset, 24);
  if (bytes.length < 24) return false;
  const header = viewOf(bytes);
  const sections = header.getUint16(6, true);
  return header.getUint32(0) === PE_SIGNATURE && sections <= 96;
}
