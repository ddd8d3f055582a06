import { pickleScanner } from "../../../../../core/scanner/formats/pickle/scanner.ts";
import type {
  Check,
  ScanContext,
  ScanLimits,
  Scanner,
} from "../../../../../core/scanner/contract/scanner.ts";
import { type ByteSource, memorySource } from "../../../../../core/scanner/contract/source.ts";

/** Bytes of a pickle: texts are Latin-1, numbers single bytes. */
export type Part = string | number | Uint8Array;

/** The parts one after another. */
export function bytes(...parts: readonly Part[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => {
    if (typeof part === "number") return [part];
    return typeof part === "string" ? [...part].map((c) => c.charCodeAt(0)) : [...part];
  }));
}

export const P2 = bytes(0x80, 2);
export const P4 = bytes(0x80, 4);
export const T1 = bytes(0x85);
export const T2 = bytes(0x86);
export const T3 = bytes(0x87);
export const STACK_GLOBAL = bytes(0x93);
export const MEMOIZE = bytes(0x94);

/** A number of so many bytes, little-endian. */
export function little(value: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Math.floor(value / 256 ** i) % 256);
}

/** SHORT_BINUNICODE. */
export function s8(text: string): Uint8Array {
  const utf8 = new TextEncoder().encode(text);
  return bytes(0x8c, utf8.length, utf8);
}

/** SHORT_BINSTRING. */
export function short(text: string): Uint8Array {
  return bytes("U", text.length, text);
}

/** STACK_GLOBAL with both its names. */
export function sg(module: string, name: string): Uint8Array {
  return bytes(s8(module), s8(name), STACK_GLOBAL);
}

/** GLOBAL. */
export function gl(module: string, name: string): Uint8Array {
  return bytes(`c${module}\n${name}\n`);
}

/** BINBYTES. */
export function binbytes(content: Uint8Array): Uint8Array {
  return bytes("B", little(content.length, 4), content);
}

/** BINUNICODE. */
export function binunicode(text: string): Uint8Array {
  const utf8 = new TextEncoder().encode(text);
  return bytes("X", little(utf8.length, 4), utf8);
}

/** Calls os.getpid, which is harmless. */
export const PAYLOAD = bytes(gl("os", "getpid"), ")R.");

export const LIMITS: ScanLimits = {
  maxDepth: 5,
  maxMembers: 10_000,
  maxMemberBytes: 64 * 1024 * 1024,
  maxUnpackedBytes: 1024 * 1024 * 1024,
  maxOpcodes: 1_000_000,
};

export interface Scanned {
  readonly checks: readonly Check[];
  readonly failed: readonly Check[];
  readonly notes: Readonly<Record<string, unknown>>;
  readonly members: readonly { readonly name: string; readonly source: ByteSource }[];
  /** C critical, W warning, I incomplete without either, OK clean. */
  readonly verdict: "C" | "W" | "I" | "OK";
}

export interface ScanOptions {
  readonly limits?: Partial<ScanLimits>;
  readonly scanner?: Scanner;
  readonly name?: string;
}

/** Scans content by one scanner, with a context that only writes down what it is told. */
export function scan(content: Uint8Array | ByteSource, options: ScanOptions = {}): Scanned {
  const { scanner = pickleScanner, name = "model.pkl" } = options;
  const notes: Record<string, unknown> = {};
  const members: { name: string; source: ByteSource }[] = [];
  const limits = { ...LIMITS, ...options.limits };
  let unpacked = limits.maxUnpackedBytes;
  const context: ScanContext = {
    limits,
    addMetadata: (facts) => Object.assign(notes, facts),
    addAssetParts: () => {},
    scanMember: (name, source) => members.push({ name, source }),
    reserveUnpacked: (wanted) => {
      const taken = Math.min(wanted, unpacked);
      unpacked -= taken;
      return taken;
    },
  };
  const source = content instanceof Uint8Array ? memorySource(content) : content;
  const checks = [...scanner.scan({ source, name, depth: 0 }, context)];
  const failed = checks.filter(({ status }) => status === "failed");
  return { checks, failed, notes, members, verdict: verdictOf(checks) };
}

function verdictOf(checks: readonly Check[]): Scanned["verdict"] {
  if (checks.some(({ severity }) => severity === "critical")) return "C";
  if (checks.some(({ severity }) => severity === "warning")) return "W";
  return checks.some(({ incomplete }) => incomplete !== undefined) ? "I" : "OK";
}
