import { ALLOWED_USES } from "../../core/scanner/knowledge/python/allowed_names.ts";
import {
  type ArgumentKind,
  kindAt,
  leastArguments,
  type Use,
} from "../../core/scanner/knowledge/python/uses.ts";
import type { Random } from "../support/random.ts";
import { made, named, partsOf, type Program, replaced, type Value, value } from "./programs.ts";

/** A text that is an expression, a path and a module, which the fence knows again. */
export const marked = (index: number) => `canary${index}.x`;
/** A pickle that imports what the fence knows again. */
export const markedPickle = (index: number) => latin1(`ccanary${index}\nx\n.`);
/** Where nothing may be read. */
export const ADDRESS = 4096;

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const ADDRESSES = Uint8Array.from({ length: 64 }, (_, i) => i % 8 === 1 ? 0x10 : 0);

const NUMBERS: readonly Value[] = [
  0,
  0,
  1,
  1,
  2,
  3,
  8,
  -1,
  16,
  63,
  255,
  ADDRESS,
  2 ** 31,
  -(2 ** 31),
  2 ** 33,
  0.5,
  null,
  true,
  false,
];
const TEXTS: readonly string[] = [
  ...[1, 1, 1, 1].map(marked),
  ..."O O8 <f8 <i8 V16 U4 S8 M8[ns] |O f4,O b B C F | < > = latin1 utf-8 MT19937 PCG64 x y a name data"
    .split(" "),
  "",
];
const DTYPES: readonly string[] = "O8 f8 i8 V16 U4 S8 M8 b1 c16 u1 O".split(" ");
const BYTES: readonly Uint8Array[] = [
  latin1(""),
  latin1("b"),
  ADDRESSES.slice(0, 8),
  ADDRESSES,
  markedPickle(1),
  latin1("canary1.x"),
];
const BASES = ["object", "object", "object", "dict", "list", "tuple", "str", "int"].map((name) =>
  `builtins.${name}`
);
const MEMBERS = ["__init__", "__array__", "shape", "dtype", "data", "name", "func", "base"];

const entries = [...ALLOWED_USES];
const isClass = ({ as = "class" }: Use) => as === "class";
const rootOf = (path: string) => path.slice(0, path.indexOf("."));

/** Names by what they can be arguments for, of one package or of all. */
function namesWhere(fits: (use: Use) => boolean): ReadonlyMap<string, readonly string[]> {
  const found = entries.filter(([, use]) => fits(use)).map(([path]) => path);
  return new Map([...Map.groupBy(found, rootOf), ["", found]]);
}

const CLASSES = namesWhere(isClass);
const MAKERS = namesWhere((use) => use.as === "function" && use.call !== undefined);
const STORED = namesWhere((use) => use.as !== "constant" && !use.harmful);

/** Makes programs of allowed uses: most are as the tables say, a few are not. */
export class Generator {
  readonly #random: Random;
  readonly #keys: ReadonlyMap<string, readonly string[]>;
  #paths: readonly string[] | undefined;
  readonly #lacking: ReadonlySet<string>;
  /** Objects of the program that is being made, which occur in it again. */
  #pool: Program[] = [];

  /**
   * @param keys The keys that classes ask their states for.
   * @param lacking Names that no package has.
   */
  constructor(
    random: Random,
    keys: ReadonlyMap<string, readonly string[]> = new Map(),
    lacking: ReadonlySet<string> = new Set(),
  ) {
    this.#random = random;
    this.#keys = keys;
    this.#lacking = lacking;
  }

  /** A chain of one to three uses. */
  program(): Program {
    this.#pool = [];
    const uses = Array.from({ length: 1 + this.#random(3) }, () => this.#object(3));
    const [first = value(null)] = uses;
    return uses.length === 1 ? first : made("each", ...uses);
  }

  /** A program with one part replaced, by a new one or by one of another program. */
  mutate(program: Program, other: Program): Program {
    this.#pool = [];
    const parts = partsOf(program);
    const target = parts[this.#random(parts.length)];
    const others = partsOf(other);
    const given = this.#random(3) === 0
      ? others[this.#random(others.length)] ?? other
      : target?.op === "name"
      ? this.value("held", target.name?.join(".") ?? "", 1)
      : this.#random(2) === 0
      ? this.#changed(target ?? program, 2)
      : this.value(this.#pick(["inert", "inert", "held", "plain"]), "", 2);
    return replaced(program, target, given);
  }

  #pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    const picked = from[this.#random(from.length)];
    if (picked === undefined) throw new RangeError("nothing to pick from");
    return picked;
  }

  /** Names with uses of their own are there more often: they do more than those whose state is set. */
  #weighted(): string[] {
    return entries.filter(([path]) => !this.#lacking.has(path)).flatMap(([path, use]) =>
      new Array<string>(use.call !== undefined || this.#keys.has(path) ? 8 : 1).fill(path)
    );
  }

  #object(depth: number): Program {
    this.#paths ??= this.#weighted();
    const object = this.use(this.#pick(this.#paths), depth);
    this.#pool.push(object);
    return object;
  }

  /** What the tables let a pickle do with a name. */
  use(path: string, depth: number): Program {
    const use = ALLOWED_USES.get(path) ?? {};
    const name = standIn(path, use, this.#random(2) === 0);
    if (use.call !== undefined) {
      const object = made("REDUCE", name, ...this.#args(path, use, depth));
      return this.#random(2) === 0 && (use.built || isClass(use))
        ? this.#changed(object, depth, path)
        : object;
    }
    if (!isClass(use)) return name;
    const object = this.#random(6) === 0
      ? made(
        "REDUCE",
        named("copyreg._reconstructor"),
        name,
        named(this.#pick(BASES)),
        this.value("items", path, depth - 1),
      )
      : made("NEWOBJ", name);
    return this.#changed(object, depth, path);
  }

  /** Arguments of the kinds that a use takes. */
  #args(path: string, use: Use, depth: number): Program[] {
    const least = leastArguments(use);
    const known = use.call?.length ?? 0;
    const count = use.call?.at(-1)?.endsWith("*")
      ? known - 1 + this.#random(5)
      : least + this.#random(known - least + 1);
    return Array.from(
      { length: Math.max(count, least) },
      (_, i) =>
        this.value(this.#random(40) === 0 ? "held" : kindAt(use, i) ?? "inert", path, depth - 1),
    );
  }

  /** An object with a state or items. */
  #changed(object: Program, depth: number, path = object.kids[0]?.name?.join(".") ?? ""): Program {
    const { items } = ALLOWED_USES.get(path) ?? {};
    const part = () => this.value(this.#pick(["held", "inert", "inert", "plain"]), path, depth - 1);
    if (items === "list") return made("APPENDS", object, part(), part());
    if (items === "dict" && this.#random(2) === 0) {
      return made("SETITEMS", object, this.value("text", path, 0), part());
    }
    const keys = this.#keys.get(path);
    const shape = this.#random(keys === undefined ? 4 : 8);
    if (shape === 0) return made("BUILD", object, part());
    if (shape < 3) {
      const length = ALLOWED_USES.get(path)?.stateItems ?? 1 + this.#random(7);
      return made("BUILD", object, made("tuple", ...Array.from({ length }, part)));
    }
    const names = keys ?? MEMBERS;
    const chosen = names.length > 6 ? names.filter(() => this.#random(3) > 0) : names;
    return made("BUILD", object, made("dict", ...chosen.flatMap((key) => [value(key), part()])));
  }

  /** A value of a kind that a name is given. */
  value(kind: ArgumentKind, of: string, depth: number): Program {
    if (this.#pool.length > 0 && this.#random(5) === 0) return this.#pick(this.#pool);
    const parts = (inner: ArgumentKind) =>
      Array.from({ length: this.#random(4) }, () => this.value(inner, of, depth - 1));
    switch (kind) {
      case "number":
        return value(this.#pick(NUMBERS));
      case "text":
        return value(this.#pick(TEXTS));
      case "codec":
        return value(this.#pick(["latin1", "utf-8"]));
      case "zone":
        return value("Europe/Paris");
      case "bytes":
        return value(this.#pick(BYTES));
      case "plain":
        return this.#simple(() => made(this.#pick(["tuple", "list"]), ...parts("plain")), depth);
      case "inert":
        if (this.#random(8) === 0) return this.#array();
        if (depth > 0 && this.#random(2) === 0) return this.#object(depth - 1);
        return this.#simple(() => made(this.#pick(["tuple", "list"]), ...parts("inert")), depth);
      case "own object": {
        const own = this.#paths?.filter((path) => rootOf(path) === rootOf(of)) ?? [];
        return own.length === 0 ? this.#object(depth - 1) : this.use(this.#pick(own), depth - 1);
      }
      case "items":
        return this.#random(2) === 0
          ? made("list", ...parts("held"))
          : made("dict", ...parts("held").flatMap((part) => [this.value("text", of, 0), part]));
      case "held":
        return this.#random(3) === 0 ? this.#name(STORED, "") : this.value("inert", of, depth);
      case "callable":
        return this.#random(4) === 0
          ? made("REDUCE", named("functools.partial"), this.#name(STORED, ""), ...parts("held"))
          : this.#name(STORED, "");
      case "class":
        return this.#name(CLASSES, this.#random(2) === 0 ? rootOf(of) : "");
      case "own class":
        return this.#random(4) === 0 ? this.value("text", of, 0) : this.#name(CLASSES, rootOf(of));
      case "own maker":
        return this.#name(MAKERS, rootOf(of));
      case "base":
        return named(this.#pick(BASES));
      case "dtype":
        return value(this.#pick(DTYPES));
      default:
        return kind satisfies never;
    }
  }

  /** An array of numbers, as NumPy writes it. */
  #array(): Program {
    const code = this.#pick(["f8", "i8", "f4", "i4", "u1"]);
    const length = this.#random(5);
    const shape = this.#random(2) === 0 ? [length] : [length, 2];
    const size = shape.reduce((all, side) => all * side, Number(code.slice(1)));
    const state = [3, "<", null, null, null, -1, -1, 0].map(value);
    const dtype = made("REDUCE", named("numpy.dtype"), ...[code, false, true].map(value));
    return made(
      "BUILD",
      made(
        "REDUCE",
        named("numpy._core.multiarray._reconstruct"),
        named("numpy.ndarray"),
        made("tuple", value(0)),
        value(latin1("b")),
      ),
      made(
        "tuple",
        value(1),
        made("tuple", ...shape.map(value)),
        made("BUILD", dtype, made("tuple", ...state)),
        value(false),
        value(new Uint8Array(size).fill(this.#pick([0, 0, 1, 255]))),
      ),
    );
  }

  #simple(container: () => Program, depth: number): Program {
    const kind = this.#random(depth > 0 ? 5 : 3);
    if (kind > 2) return container();
    return this.value(kind === 0 ? "number" : kind === 1 ? "text" : "bytes", "", 0);
  }

  #name(names: ReadonlyMap<string, readonly string[]>, root: string): Program {
    const path = this.#pick(names.get(root) ?? names.get("") ?? []);
    return standIn(path, ALLOWED_USES.get(path) ?? {}, this.#random(2) === 0);
  }
}

/** A name; what models only store, and harmful constructors, note their calls when the program runs. */
function standIn(path: string, use: Use, isWanted: boolean): Program {
  const name = named(path);
  if (use.harmful) return { ...name, canary: `class:${path}` };
  return use.as === "function" && use.call === undefined && isWanted
    ? { ...name, canary: `object:${path}` }
    : name;
}
