import { OPCODE_BY_BYTE } from "../../core/scanner/formats/pickle/opcodes.ts";
import { concatBytes } from "../../core/scanner/readers/bytes/bytes.ts";
import type { Random } from "../support/random.ts";
import { bytes, gl, little, s8 } from "../core/scanner/formats/pickle/pickle_bytes.ts";
import { nameOf } from "./programs.ts";

/** An instruction as bytes, or what cannot be read as one. */
type Part = Uint8Array;

const LINES: Readonly<Record<string, number>> = {
  line: 1,
  quoted: 1,
  int: 1,
  long: 1,
  float: 1,
  index: 1,
  names: 2,
};
const FIXED: Readonly<Record<string, number>> = {
  none: 0,
  u8: 1,
  u16: 2,
  i32: 4,
  u32: 4,
  u64: 8,
  fixed8: 8,
};
const COUNTED: Readonly<Record<string, number>> = {
  counted1: 1,
  counted4: 4,
  signed4: 4,
  counted8: 8,
};

const [PROTO, FRAME, GLOBAL, STACK_GLOBAL, STOP, POP] = [0x80, 0x95, 0x63, 0x93, 0x2e, 0x30];
const INSTRUCTIONS = OPCODE_BY_BYTE.flatMap((opcode) =>
  opcode?.argument === "none" ? [Uint8Array.of(opcode.byte)] : []
);

/** Names that run what they are given, of which a pickle must not use one. */
export const DANGEROUS = `builtins.eval builtins.exec builtins.compile builtins.__import__
  builtins.open builtins.getattr builtins.map io.open os.system os.getpid posix.getpid os.popen os.execv
  os.remove subprocess.Popen subprocess.call subprocess.check_output pty.spawn importlib.import_module
  runpy.run_path runpy._run_code ctypes.CDLL socket.socket webbrowser.open pickle.loads _pickle.loads
  marshal.loads types.FunctionType types.CodeType timeit.timeit operator.attrgetter operator.methodcaller
  functools.partial functools.reduce codecs.decode pdb.run cProfile.run bdb.Bdb.run code.interact
  pkgutil.resolve_name logging.config.dictConfig numpy.load numpy.loadtxt numpy.asarray numpy.memmap
  numpy.testing._private.utils.runstring numpy.f2py.crackfortran.myeval pandas.eval pandas.read_pickle
  joblib.load torch.load torch.hub.load scipy.io.loadmat sklearn.datasets.fetch_openml`
  .split(/\s+/);
const TEXTS: readonly string[] = [
  ..."1+1 print os.getpid eval builtins os x data __array_interface__ __reduce__ __class__ __setstate__"
    .split(" "),
  ..."O8 f8 i8 V8 S4 M8[ns] latin1 rot13 unicode_escape zlib formula func /etc/hostname y~x".split(
    " ",
  ),
  "__import__('os').getpid()",
  "",
];

/** The instructions of a pickle, as far as they can be read, and the rest. */
export function instructionsOf(pickle: Uint8Array): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pickle.length;) {
    const end = endOf(pickle, at);
    parts.push(pickle.subarray(at, end));
    at = end;
  }
  return parts;
}

function endOf(pickle: Uint8Array, at: number): number {
  const argument = OPCODE_BY_BYTE[pickle[at] ?? 0]?.argument ?? "none";
  let end = at + 1 + (FIXED[argument] ?? 0);
  for (let lines = LINES[argument] ?? 0; lines > 0; lines--) {
    const feed = pickle.indexOf(0x0a, end);
    end = feed < 0 ? pickle.length : feed + 1;
  }
  const width = COUNTED[argument];
  if (width !== undefined) {
    const length = pickle.subarray(end, end + width).reduceRight(
      (sum, byte) => sum * 256 + byte,
      0,
    );
    end += width + length;
  }
  return Math.min(end, pickle.length);
}

const MAX_CHANGES = 4;
const MAX_BYTES = 8192;

/** Makes mutations of pickles. */
export class Mutator {
  readonly #random: Random;
  readonly #seeds: readonly (readonly Part[])[];
  readonly #names: readonly string[];

  /** @param names Paths of names that replace others, beside those that are dangerous. */
  constructor(random: Random, seeds: readonly Uint8Array[], names: readonly string[]) {
    this.#random = random;
    this.#seeds = seeds.map(instructionsOf);
    this.#names = names;
  }

  /** A seed with one to four changes. */
  next(): Uint8Array<ArrayBuffer> {
    let parts = [...this.#pick(this.#seeds)];
    // Frames would have a wrong length, and little after them would be read.
    if (this.#random(8) > 0) parts = parts.filter(([opcode]) => opcode !== FRAME);
    for (let times = 1 + this.#random(MAX_CHANGES); times > 0; times--) {
      if (parts.length > 0) parts = this.#changed(parts);
    }
    return concatBytes(parts).slice(0, MAX_BYTES);
  }

  #pick<T>(from: readonly T[]): T {
    const picked = from[this.#random(from.length)];
    if (picked === undefined) throw new RangeError("nothing to pick from");
    return picked;
  }

  #changed(parts: readonly Part[]): Part[] {
    const at = this.#random(parts.length);
    const part = this.#pick(parts);
    const insert = (...inserted: readonly Part[]) => parts.toSpliced(at, 0, ...inserted);
    switch (this.#random(16)) {
      case 0:
        return parts.with(at, this.#flipped(parts[at] ?? part));
      case 1:
        return parts.with(at, this.#pick(INSTRUCTIONS));
      case 2:
        return insert(this.#pick(INSTRUCTIONS));
      case 3:
        return parts.toSpliced(at, 1 + this.#random(3));
      case 4:
        return insert(...this.#range(parts));
      case 5:
        return insert(...this.#range(this.#pick(this.#seeds)));
      case 6:
        return parts.toSpliced(at, 1 + this.#random(4), ...this.#range(this.#pick(this.#seeds)));
      case 7: {
        const other = Math.min(at + 1 + this.#random(4), parts.length - 1);
        return parts.with(at, parts[other] ?? part).with(other, parts[at] ?? part);
      }
      case 8:
        return [Uint8Array.of(PROTO, this.#random(6)), ...parts.filter(([byte]) => byte !== PROTO)];
      case 9:
        return insert(...bodyOf(this.#pick(this.#seeds)), Uint8Array.of(POP));
      case 10:
        return insert(...bodyOf(this.#pick(this.#seeds)));
      case 11:
        return [...parts.slice(0, at), ...this.#pick(this.#seeds)];
      case 12:
        return [...parts, ...this.#pick(this.#seeds)];
      case 13:
        return this.#withText(parts, at);
      default:
        return this.#withName(parts, at);
    }
  }

  #flipped(part: Part): Part {
    const at = this.#random(part.length);
    const byte = part[at] ?? 0;
    return part.with(at, this.#random(2) === 0 ? byte ^ 1 << this.#random(8) : this.#random(256));
  }

  #range(parts: readonly Part[]): readonly Part[] {
    const from = this.#random(parts.length);
    return parts.slice(from, from + 1 + this.#random(10));
  }

  /** With the next text, or number, replaced. */
  #withText(parts: readonly Part[], from: number): Part[] {
    const at = nextOf(parts, from, (name) => /STRING|UNICODE|BYTES|INT|LONG/.test(name));
    if (at < 0) return [...parts];
    const text = this.#pick(TEXTS);
    const number = bytes("J", little(this.#pick([0, 1, 4096, 2 ** 31 - 1, 2 ** 32 - 1]), 4));
    return parts.with(at, this.#random(4) === 0 ? number : s8(text));
  }

  /** With the next name replaced. */
  #withName(parts: readonly Part[], from: number): Part[] {
    const at = nextOf(parts, from, (name) => /GLOBAL|INST/.test(name));
    if (at < 0) return [...parts];
    const path = this.#pick(this.#random(2) === 0 ? DANGEROUS : this.#names);
    const [module, name] = nameOf(path);
    const given = gl(module, name);
    switch (parts[at]?.[0]) {
      case GLOBAL:
        return parts.with(at, given);
      case STACK_GLOBAL:
        return parts.toSpliced(at, 1, Uint8Array.of(POP, POP), given);
      default:
        return parts.with(at, bytes("i", given.slice(1)));
    }
  }
}

/** The index of the next instruction of a kind, or of the first one; -1 if there is none. */
function nextOf(parts: readonly Part[], from: number, fits: (name: string) => boolean): number {
  const isOne = ([byte = 0]: Part) => fits(OPCODE_BY_BYTE[byte]?.name ?? "");
  const next = parts.findIndex((part, index) => index >= from && isOne(part));
  return next < 0 ? parts.findIndex(isOne) : next;
}

/** The instructions of a pickle without those that begin and end it. */
function bodyOf(parts: readonly Part[]): Part[] {
  return parts.filter(([byte]) => byte !== PROTO && byte !== STOP && byte !== FRAME);
}
