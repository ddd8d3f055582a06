import { binbytes, binunicode, bytes, gl, little, type Part, s8, sg } from "./pickle_bytes.ts";

/** What a pickle builds. A term that occurs twice is one object if the pickle has a memo. */
export type Term =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | { readonly name: readonly [module: string, name: string] }
  | { readonly tuple: readonly Term[] }
  | { readonly list: readonly Term[] }
  | { readonly dict: readonly (readonly [Term, Term])[] }
  /** A call, by REDUCE. */
  | { readonly call: Term; readonly args: readonly Term[] }
  /** An object made without its constructor: by NEWOBJ, or as protocols without it do. */
  | { readonly make: Term; readonly args?: readonly Term[] }
  /** An object that gets a state, or items by the opcodes of lists, dicts and sets. */
  | { readonly of: Term; readonly state: Term }
  | { readonly of: Term; readonly append: readonly Term[] }
  | { readonly of: Term; readonly set: readonly (readonly [Term, Term])[] }
  | { readonly of: Term; readonly add: readonly Term[] }
  /** Terms one after another, of which the last stays on the stack. */
  | { readonly each: readonly Term[] };

export interface Dialect {
  /** 0 to 5. */
  readonly protocol: number;
  /** Whether composite terms are memoized, and read from the memo where they occur again. */
  readonly memo?: boolean;
}

export const name = (module: string, text: string): Term => ({ name: [module, text] });
export const call = (callee: Term, ...args: readonly Term[]): Term => ({ call: callee, args });

/** Assembles the pickle of a term as Python writes it in a protocol. */
export function assemble(term: Term, dialect: Dialect): Uint8Array {
  const { protocol } = dialect;
  const head = protocol >= 2 ? bytes(0x80, protocol) : bytes();
  return bytes(head, fragment(term, dialect), ".");
}

/** The instructions that push a term. */
export function fragment(term: Term, dialect: Dialect): Uint8Array {
  return new Assembler(dialect).push(term);
}

class Assembler {
  readonly #protocol: number;
  readonly #memo: Map<Term, number> | undefined;
  #entries = 0;

  constructor({ protocol, memo = false }: Dialect) {
    this.#protocol = protocol;
    this.#memo = memo ? new Map() : undefined;
  }

  push(term: Term): Uint8Array {
    if (typeof term !== "object" || term === null) return this.#constant(term);
    const known = this.#memo?.get(term);
    if (known !== undefined) return bytes(`g${known}\n`);
    if ("of" in term) {
      const changed = this.#changed(term);
      const index = this.#memo?.get(term.of);
      if (index !== undefined) this.#memo?.set(term, index);
      return changed;
    }
    if ("each" in term) return this.#each(term.each);
    const pushed = this.#composite(term);
    return bytes(pushed, this.#put(term));
  }

  #put(term: Term): Uint8Array {
    if (this.#memo === undefined) return bytes();
    const index = this.#entries++;
    this.#memo.set(term, index);
    if (this.#protocol >= 4) return bytes(0x94);
    if (this.#protocol === 0) return bytes(`p${index}\n`);
    return index < 256 ? bytes("q", index) : bytes("r", little(index, 4));
  }

  #constant(value: number | string | boolean | null): Uint8Array {
    if (value === null) return bytes("N");
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "boolean") {
      if (this.#protocol >= 2) return bytes(value ? 0x88 : 0x89);
      return bytes(value ? "I01\n" : "I00\n");
    }
    if (!Number.isInteger(value)) return bytes(`F${value}\n`);
    if (this.#protocol === 0) return bytes(`I${value}\n`);
    return Math.abs(value) < 2 ** 31 ? bytes("J", little(value >>> 0, 4)) : bytes(`L${value}L\n`);
  }

  #text(value: string): Uint8Array {
    if (this.#protocol === 0) {
      return bytes(`V${value.replaceAll("\\", "\\u005c").replaceAll("\n", "\\u000a")}\n`);
    }
    return this.#protocol >= 4 && value.length < 256 ? s8(value) : binunicode(value);
  }

  #each(terms: readonly Term[]): Uint8Array {
    return bytes(...terms.map((term, i) => bytes(i > 0 ? "0" : "", this.push(term))));
  }

  #composite(term: Exclude<Term, number | string | boolean | null>): Uint8Array {
    if (term instanceof Uint8Array) return this.#bytes(term);
    if ("name" in term) return this.#global(...term.name);
    if ("tuple" in term) return this.#tuple(term.tuple);
    if ("list" in term) return this.#list(term.list);
    if ("dict" in term) return this.#dict(term.dict);
    if ("call" in term) return bytes(this.push(term.call), this.#tuple(term.args), "R");
    if ("make" in term) return this.#make(term.make, term.args ?? []);
    throw new TypeError("no composite term");
  }

  #bytes(value: Uint8Array): Uint8Array {
    if (this.#protocol >= 3) return binbytes(value);
    const text = String.fromCharCode(...value);
    return this.push(call(name("_codecs", "encode"), text, "latin1"));
  }

  #global(module: string, text: string): Uint8Array {
    return this.#protocol >= 4 ? sg(module, text) : gl(module, text);
  }

  #all(terms: readonly Term[]): Part[] {
    return terms.map((term) => this.push(term));
  }

  #tuple(items: readonly Term[]): Uint8Array {
    const short = [")", "\x85", "\x86", "\x87"][items.length];
    if (items.length === 0) return this.#protocol === 0 ? bytes("(t") : bytes(")");
    if (this.#protocol < 2 || short === undefined) return bytes("(", ...this.#all(items), "t");
    return bytes(...this.#all(items), short);
  }

  #list(items: readonly Term[]): Uint8Array {
    if (this.#protocol > 0) return bytes("](", ...this.#all(items), "e");
    return bytes("(l", ...items.map((item) => bytes(this.push(item), "a")));
  }

  #dict(pairs: readonly (readonly [Term, Term])[]): Uint8Array {
    if (this.#protocol > 0) return bytes("}(", ...this.#all(pairs.flat()), "u");
    return bytes("(d", ...pairs.map((pair) => bytes(...this.#all(pair), "s")));
  }

  #make(made: Term, args: readonly Term[]): Uint8Array {
    if (this.#protocol >= 2) return bytes(this.push(made), this.#tuple(args), 0x81);
    if (args.length > 0) return bytes("(", this.push(made), ...this.#all(args), "o");
    const object = name("__builtin__", "object");
    return this.push(call(name("copy_reg", "_reconstructor"), made, object, null));
  }

  #changed(term: Extract<Term, { readonly of: Term }>): Uint8Array {
    const target = this.push(term.of);
    if ("state" in term) return bytes(target, this.push(term.state), "b");
    if ("append" in term) {
      if (this.#protocol > 0) return bytes(target, "(", ...this.#all(term.append), "e");
      return bytes(target, ...term.append.map((item) => bytes(this.push(item), "a")));
    }
    if ("add" in term) return bytes(target, "(", ...this.#all(term.add), 0x90);
    if (this.#protocol > 0) return bytes(target, "(", ...this.#all(term.set.flat()), "u");
    return bytes(target, ...term.set.map((pair) => bytes(...this.#all(pair), "s")));
  }
}
