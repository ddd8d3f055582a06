/**
 * How a pickle may use a name that is allowed. A name is allowed for the uses that real files make of it;
 * whatever goes beyond them is a warning at least.
 *
 * A row of the tables in `allowed_*.ts` is a module, names in it, and their use. Most rows leave the use
 * out: such a name is a class of which picklers make an object without running its constructor
 * (`NEWOBJ` without arguments, `copyreg._reconstructor(class, object, None)`), whose state they then set
 * with `BUILD`. To run the constructor, to give arguments to `__new__` or to add items goes beyond that.
 * `docs/design/pickles.md` says what is checked for every name.
 * @module
 */

/**
 * A kind of argument, decided from what the machine knows of the value.
 *
 * - `number`: an integer, float, bool or None.
 * - `text`: a string constant.
 * - `codec`: a text that names a codec which only turns text into bytes.
 * - `zone`: a text that names a time zone: a file of one is opened.
 * - `bytes`: bytes, or a call that makes them of a constant.
 * - `plain`: one of these, or a container of them.
 * - `inert`: also constants and objects, as long as nothing in them can be called.
 * - `own object`: what a call of a name of the same package made, as `inert`.
 * - `items`: a constant, or a container of anything that may be stored.
 * - `held`: anything that may be stored: also allowed classes and functions.
 * - `callable`: an allowed class or function, `None`, or a partial of one.
 * - `class`: an allowed class, of which an object is made.
 * - `own class`: an allowed class of the package that the name itself belongs to, or a text for one.
 * - `own maker`: a function of that package that pickles call.
 * - `base`: a class of Python's own values, from which another one inherits.
 * - `dtype`: a text that names the type of an array's elements, or a class of records or numbers.
 */
export type ArgumentKind = typeof KINDS[number];

const KINDS = [
  "number",
  "text",
  "codec",
  "zone",
  "bytes",
  "plain",
  "inert",
  "own object",
  "items",
  "held",
  "callable",
  "class",
  "own class",
  "own maker",
  "base",
  "dtype",
] as const;

/** An argument: one of a kind, one that may be missing (`?`), or any number of them (`*`). */
export type Argument = `${ArgumentKind}${"" | "?" | "*"}`;

/** How an allowed name may be used. What is left out is not allowed. */
export interface Use {
  /**
   * What the name is. A function is only stored unless `call` is given; a constant is as harmless as a
   * number.
   *
   * @default {"class"}
   */
  readonly as?: "class" | "function" | "constant";
  /** What a call gives it: `REDUCE`, `NEWOBJ` and `NEWOBJ_EX`, `INST` and `OBJ`. */
  readonly call?: readonly Argument[];
  /** Items that are added: by `APPEND(S)` to a list, by `SETITEM(S)` to a dict. */
  readonly items?: "list" | "dict";
  /** Whether `BUILD` sets the state of what a function returns. */
  readonly built?: true;
  /** The state is checked by rules of its own. `nodes`: its bytes are places in memory. */
  readonly state?: "dtype" | "array" | "formula" | "nodes";
  /** Keys of the state whose values the class uses by their methods: nothing in them can be called. */
  readonly inertKeys?: readonly string[];
  /** The state is a tuple of this many items at least: compiled code reads them without a check. */
  readonly stateItems?: number;
  /** Objects without their state are not used: compiled code reads it without a check. */
  readonly needsState?: true;
  /** What it makes is called like a function. */
  readonly makes?: "callable";
  /** The constructor does harm, so nothing may get the class that could call it. */
  readonly harmful?: true;
}

/** A class of which objects are made without its constructor. */
export const OBJECT: Use = {};
/** The same; the constructor evaluates text, opens files or calls what it is given. */
export const BARE: Use = { harmful: true };
/** Stored, to be called by the user of the model. */
export const FUNCTION: Use = { as: "function" };
export const CONSTANT: Use = { as: "constant" };
/** A member of an enumeration, by its value. */
export const ENUM: Use = { call: ["plain"] };
/** A class whose constructor, or a function that, takes what cannot be called. */
export const MADE: Use = { call: ["inert*"] };
export const MAKER: Use = { as: "function", call: ["inert*"] };
/** A function that makes an object of a class of its package, which then gets a state. */
export const REBUILDER: Use = { as: "function", call: ["own class", "inert*"], built: true };
/** A tree of which compiled code follows the nodes that its state has. */
export const NODES: Use = { state: "nodes" };
/** A dict with methods and attributes of its own. */
export const DICT: Use = { call: ["items?"], items: "dict" };

/** A module, the names in it that models import, separated by white space, and how these are used. */
export type AllowedNames = readonly [module: string, names: string, use?: Use];

const KIND_OF: ReadonlyMap<string, ArgumentKind> = new Map(
  KINDS.flatMap((kind) => ["", "?", "*"].map((count) => [`${kind}${count}`, kind] as const)),
);

/** The arguments of a call, as {@link Use} says them. */
interface Signature {
  readonly kinds: readonly ArgumentKind[];
  /** The kind of all further arguments, if there may be any. */
  readonly rest: ArgumentKind | undefined;
  /** The number of arguments that a call gives at least. */
  readonly least: number;
}

const SIGNATURES = new WeakMap<Use, Signature>();

function signatureOf(use: Use): Signature {
  const known = SIGNATURES.get(use);
  if (known !== undefined) return known;
  const { call = [] } = use;
  const kinds = call.flatMap((argument) => KIND_OF.get(argument) ?? []);
  const signature = {
    kinds,
    rest: call.at(-1)?.endsWith("*") ? kinds.at(-1) : undefined,
    least: call.filter((argument) => !/[?*]$/.test(argument)).length,
  };
  SIGNATURES.set(use, signature);
  return signature;
}

/** The kind of the argument at an index; undefined if a call gives none there. */
export function kindAt(use: Use, index: number): ArgumentKind | undefined {
  const { kinds, rest } = signatureOf(use);
  return kinds[index] ?? rest;
}

/** The number of arguments that a call gives at least. */
export function leastArguments(use: Use): number {
  return signatureOf(use).least;
}

const CLASS_KINDS: ReadonlySet<ArgumentKind> = new Set(
  ["class", "own class", "own maker", "base", "dtype"] as const,
);

/** Whether the argument at an index is a class that an object is made of, not a part of the object. */
export function isClassArgument(use: Use | undefined, index: number): boolean {
  const kind = use === undefined ? undefined : kindAt(use, index);
  return kind !== undefined && CLASS_KINDS.has(kind);
}
