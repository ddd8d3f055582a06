/** Programs of the hunt: small pickles, as trees. */

/** How a pickle calls something. */
export type CallOpcode = "REDUCE" | "NEWOBJ" | "NEWOBJ_EX" | "INST" | "OBJ";
/** How a pickle changes an object. */
export type ChangeOpcode = "BUILD" | "APPENDS" | "SETITEMS" | "ADDITEMS";
type ContainerKind = "tuple" | "list" | "dict" | "set";

export type Value = null | boolean | number | string | Uint8Array;

export interface Program {
  readonly op: "value" | "name" | "each" | ContainerKind | CallOpcode | ChangeOpcode;
  /**
   * What it is made of: items (of a dict, keys and values), what is called and its arguments, what is
   * changed and its state or items.
   */
  readonly kids: readonly Program[];
  readonly value?: Value;
  readonly name?: readonly [module: string, name: string];
  /** Values by name, for `NEWOBJ_EX`. */
  readonly keywords?: Program;
  /** The canary that takes its place when the program runs. The scanner sees the program itself. */
  readonly canary?: string;
}

const NONE: readonly Program[] = [];

export const value = (value: Value): Program => ({ op: "value", kids: NONE, value });
export const named = (path: string): Program => {
  const name = nameOf(path);
  return { op: "name", kids: NONE, name };
};
export const made = (op: Program["op"], ...kids: readonly Program[]): Program => ({ op, kids });

/** Names that are not the last part of their path alone. */
const NESTED = "zoneinfo.ZoneInfo._unpickle";

/** The module and the name of a path. */
export function nameOf(path: string): readonly [module: string, name: string] {
  const dot = path === NESTED ? "zoneinfo".length : path.lastIndexOf(".");
  return [path.slice(0, dot), path.slice(dot + 1)];
}

/** All parts of a program, itself first. */
export function partsOf(program: Program): Program[] {
  return [program, ...program.kids.flatMap(partsOf)];
}

/** A program with a part replaced wherever it occurs. */
export function replaced(program: Program, part: Program | undefined, by: Program): Program {
  if (program === part) return by;
  const kids = program.kids.map((kid) => replaced(kid, part, by));
  return kids.every((kid, i) => kid === program.kids[i]) ? program : { ...program, kids };
}

const ENCODER = new TextEncoder();
const OPENERS: Readonly<Record<ContainerKind, string>> = {
  tuple: "(",
  list: "](",
  dict: "}(",
  set: "\x8f(",
};
const CLOSERS: Readonly<Record<ContainerKind, string>> = {
  tuple: "t",
  list: "e",
  dict: "u",
  set: "\x90",
};
const CHANGES = { BUILD: "b", APPENDS: "e", SETITEMS: "u", ADDITEMS: "\x90" } as const;

/**
 * Assembles a program. A part that occurs twice is one object.
 *
 * @param runs Whether canaries take their places.
 */
export function assemble(program: Program, runs: boolean): Uint8Array<ArrayBuffer> {
  const out: number[] = [0x80, 4];
  const counts = new Map<Program, number>();
  count(program, counts);
  emit(program, { out, runs, counts, memo: new Map() });
  out.push(0x2e);
  return Uint8Array.from(out);
}

function count(program: Program, counts: Map<Program, number>): void {
  const before = counts.get(program) ?? 0;
  counts.set(program, before + 1);
  if (before > 0) return;
  for (const kid of program.kids) count(kid, counts);
  if (program.keywords !== undefined) count(program.keywords, counts);
}

interface Assembly {
  readonly out: number[];
  readonly runs: boolean;
  readonly counts: ReadonlyMap<Program, number>;
  readonly memo: Map<Program, number>;
}

function emit(program: Program, assembly: Assembly): void {
  const { out, memo, counts } = assembly;
  const known = memo.get(program);
  if (known !== undefined) return void out.push(0x68, known);
  emitNew(program, assembly);
  if ((counts.get(program) ?? 0) < 2 || program.op === "value" || memo.size > 250) return;
  memo.set(program, memo.size);
  out.push(0x94);
}

function emitNew(program: Program, assembly: Assembly): void {
  const { out, runs } = assembly;
  const { op, kids, canary } = program;
  const all = (parts: readonly Program[]) => parts.forEach((part) => emit(part, assembly));
  if (runs && canary !== undefined) return text(out, `ccanary\n${canary}\n`);
  const [first, ...rest] = kids;
  switch (op) {
    case "value":
      return emitValue(program.value ?? null, out);
    case "name":
      return text(out, `c${(program.name ?? []).join("\n")}\n`);
    case "each":
      return kids.forEach((kid, i) => {
        if (i > 0) out.push(0x30);
        emit(kid, assembly);
      });
    case "REDUCE":
    case "NEWOBJ":
    case "NEWOBJ_EX":
      if (first !== undefined) emit(first, assembly);
      text(out, "(");
      all(rest);
      text(out, "t");
      if (op === "NEWOBJ_EX") emit(program.keywords ?? made("dict"), assembly);
      return text(out, op === "REDUCE" ? "R" : op === "NEWOBJ" ? "\x81" : "\x92");
    case "OBJ":
      text(out, "(");
      all(kids);
      return text(out, "o");
    case "INST":
      text(out, "(");
      all(rest);
      return text(out, `i${(first?.name ?? []).join("\n")}\n`);
    case "BUILD":
      all(kids);
      return text(out, "b");
    case "APPENDS":
    case "SETITEMS":
    case "ADDITEMS":
      if (first !== undefined) emit(first, assembly);
      text(out, "(");
      all(rest);
      return text(out, CHANGES[op]);
    case "tuple":
    case "list":
    case "dict":
    case "set":
      text(out, OPENERS[op]);
      all(kids);
      return text(out, CLOSERS[op]);
    default:
      return op satisfies never;
  }
}

function text(out: number[], characters: string): void {
  for (let i = 0; i < characters.length; i++) out.push(characters.charCodeAt(i));
}

function little(out: number[], number: number, length: number): void {
  for (let i = 0; i < length; i++) out.push(Math.floor(number / 256 ** i) & 255);
}

function emitValue(value: Value, out: number[]): void {
  if (value === null) return text(out, "N");
  if (typeof value === "boolean") return void out.push(value ? 0x88 : 0x89);
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return text(out, `F${value}\n`);
    if (Math.abs(value) >= 2 ** 31) return text(out, `L${value}L\n`);
    out.push(0x4a);
    return little(out, value >>> 0, 4);
  }
  const content = typeof value === "string" ? ENCODER.encode(value) : value;
  out.push(typeof value === "string" ? 0x58 : 0x42);
  little(out, content.length, 4);
  for (const byte of content) out.push(byte);
}
