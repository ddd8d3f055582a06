import { ALLOWED_USES } from "../../core/scanner/knowledge/python/allowed_names.ts";
import { kindAt } from "../../core/scanner/knowledge/python/uses.ts";
import { seededRandom } from "../support/random.ts";
import type { Fence } from "./fence.ts";
import { ADDRESS, Generator, marked, markedPickle } from "./generate.ts";
import { harmsOf, isClean } from "./judge.ts";
import {
  assemble,
  type CallOpcode,
  type ChangeOpcode,
  made,
  named,
  type Program,
  value,
} from "./programs.ts";

/** One thing that a name does, and the use of it that does it. */
export interface Fact {
  readonly path: string;
  readonly opcodes: readonly string[];
  /** Arguments: canaries by kind, `fit` for one that the tables allow; those of a dict begin with a key. */
  readonly args: readonly string[];
  readonly what: string;
}

const CANARIES = ["object", "class", "text", "bytes", "address", "array"] as const;
const CALLS: readonly CallOpcode[] = ["REDUCE", "NEWOBJ", "NEWOBJ_EX", "INST", "OBJ"];
const CHANGES: readonly ChangeOpcode[] = ["BUILD", "APPENDS", "SETITEMS", "ADDITEMS"];
const MAX_ARGUMENTS = 4;
const BATCH = 2000;

/** The canary of a kind. The scanner gets what it stands for: something that an object may call. */
function canaryOf(kind: string, place: string, index: number, attribute: string): Program {
  switch (kind) {
    case "object":
      return { ...callable(attribute), canary: `object:${place}` };
    case "class":
      return { ...named("models.yolo.Model"), canary: `class:${place}` };
    case "text":
      return value(marked(index));
    case "bytes":
      return value(markedPickle(index));
    case "address":
      return value(ADDRESS);
    case "array":
      return { ...ARRAY, canary: `array:${place}` };
    case "keys":
      return { ...made("dict"), canary: `dict:${place}` };
    default:
      throw new RangeError(`no canary ${kind}`);
  }
}

/** A stored function, or an object that has it as an attribute. */
function callable(attribute: string): Program {
  const function_ = named("numpy.log1p");
  return attribute === ""
    ? function_
    : made("SETITEMS", made("NEWOBJ", named("sklearn.utils.Bunch")), value(attribute), function_);
}

const ARRAY = made(
  "REDUCE",
  named("numpy._core.multiarray._reconstruct"),
  named("numpy.ndarray"),
  made("tuple", value(0)),
  value(Uint8Array.of(98)),
);

/** What a name is used with: each canary alone, and beside arguments that the tables allow. */
function argumentsOf(path: string, opcode: string): string[][] {
  const counts = Array.from({ length: MAX_ARGUMENTS }, (_, i) => i + 1);
  const uniform = (kinds: readonly string[], most = MAX_ARGUMENTS) =>
    counts.slice(0, most).flatMap((count) =>
      kinds.map((kind) => new Array<string>(count).fill(kind))
    );
  switch (opcode) {
    case "REDUCE": {
      const known = Math.min(ALLOWED_USES.get(path)?.call?.length ?? 0, MAX_ARGUMENTS);
      const beside = counts.slice(0, known).flatMap((_, at) =>
        CANARIES.map((kind) => counts.slice(0, known).map((_, i) => i === at ? kind : "fit"))
      );
      return [[], ...beside, ...uniform(CANARIES)];
    }
    case "NEWOBJ":
      return [[], ...uniform(CANARIES)];
    case "BUILD":
      return [["keys"], ...uniform(["object", "text", "class", "address"], 4)];
    case "SETITEMS":
      return [["text", "object"], ["text", "class"]];
    default:
      return uniform(["object", "text"], 2);
  }
}

/** A use of a name as a program. */
export function programOf(
  { path, opcodes: [opcode = ""], args }: Pick<Fact, "path" | "opcodes" | "args">,
  attribute = "",
): Program {
  const generator = new Generator(seededRandom(1));
  const use = ALLOWED_USES.get(path) ?? {};
  const values = args.map((arg, i): Program => {
    const [, key = "", kind = arg] = /^(.*)=(\w+)$/.exec(arg) ?? [];
    if (kind === "fit") return generator.value(kindAt(use, i) ?? "plain", path, 0);
    return canaryOf(kind, key === "" ? `${i + 1}` : key, i + 1, attribute);
  });
  const call = CALLS.find((call) => call === opcode);
  if (call !== undefined) return made(call, named(path), ...values);
  const change = CHANGES.find((change) => change === opcode);
  if (change === undefined) throw new RangeError(`no opcode ${opcode}`);
  const object = use.call === undefined ? made("NEWOBJ", named(path)) : made(
    "REDUCE",
    named(path),
    ...use.call.filter((argument) => !/[?*]$/.test(argument))
      .map((_, i) => generator.value(kindAt(use, i) ?? "plain", path, 0)),
  );
  if (change !== "BUILD") return made(change, object, ...values);
  const keys = args.map((arg) => /^(.*)=/.exec(arg)?.[1]);
  const state = keys.some((key) => key !== undefined)
    ? made("dict", ...values.flatMap((part, i) => [value(keys[i] ?? ""), part]))
    : values.length === 1
    ? values[0] ?? value(null)
    : made("tuple", ...values);
  return made("BUILD", object, state);
}

const EVENTS: readonly (readonly [note: RegExp, fact: string])[] = [
  [/^calls (\d)(.*)$/, "calls argument $1$2"],
  [/^calls (.*)$/, "calls $1"],
  [/^(?:compile|exec) (\d)$/, "evaluates argument $1"],
  [/^open (\d)$/, "opens the file named by argument $1"],
  [/^import (\d)$/, "imports argument $1"],
  [/^pickle.find_class (\d)$/, "unpickles argument $1"],
  [/^writes (\d)$/, "writes into argument $1"],
  [/^key (.*)$/, "asks the state for $1"],
  [/^memory$/, "takes all memory"],
  [/^([\w.]+) (\d)$/, "$1 of argument $2"],
];

function factOf(note: string, args: readonly string[]): string {
  const [pattern, fact] = EVENTS.find(([pattern]) => pattern.test(note)) ?? [/^/, ""];
  return note.replace(pattern, fact).replace(
    /argument (\d)/,
    (whole, index) => /^(.*)=/.exec(args[Number(index) - 1] ?? "")?.[1] ?? whole,
  );
}

/** Whether the scanner finds the use of a fact, if it is more than a look at the state. */
export function isFound({ what, ...use }: Fact): boolean {
  if (what.startsWith("asks ")) return true;
  const attribute = /^calls [^.]*\.(\w+)/.exec(what)?.[1] ?? "";
  return use.opcodes.every((opcode) =>
    !isClean(programOf({ ...use, opcodes: [opcode] }, attribute))
  );
}

type Use = Pick<Fact, "path" | "opcodes" | "args">;

/** Observes what names do: every opcode with every canary, then the states that have the keys asked for. */
export async function observe(paths: readonly string[], fence: Fence): Promise<Fact[]> {
  const facts = new Map<string, Fact>();
  const uses = paths.flatMap((path) =>
    [...CALLS, ...CHANGES].flatMap((opcode) =>
      argumentsOf(path, opcode).map((args): Use => ({ path, opcodes: [opcode], args }))
    )
  );
  await observeUses(uses, fence, facts);
  await observeUses(statesOf([...facts.values()]), fence, facts);
  return [...facts.values()].sort((a, b) => lineOf(a) < lineOf(b) ? -1 : 1);
}

/** The keys that names ask their states for. */
export function keysOf(facts: readonly Fact[]): Map<string, string[]> {
  const asked = facts.flatMap(({ path, what }) => {
    const key = /^asks the state for (.+)$/.exec(what)?.[1];
    return key === undefined ? [] : [{ path, key }];
  });
  return new Map(
    [...Map.groupBy(asked, ({ path }) => path)].map(([path, found]) => [
      path,
      found.map(({ key }) => key),
    ]),
  );
}

const MAX_KEYS = 9;

function statesOf(facts: readonly Fact[]): Use[] {
  return [...keysOf(facts)].flatMap(([path, all]) => {
    const keys = all.filter((key) => /^\w+$/.test(key)).slice(0, MAX_KEYS);
    const subsets = [
      keys,
      ...keys.flatMap((key) => [[key], keys.filter((other) => other !== key)]),
    ];
    return subsets.flatMap((subset) =>
      ["text", "object", "class"].map((kind): Use => ({
        path,
        opcodes: ["BUILD"],
        args: subset.map((key) => `${key}=${kind}`),
      }))
    );
  });
}

async function observeUses(uses: readonly Use[], fence: Fence, facts: Map<string, Fact>) {
  for (let at = 0; at < uses.length; at += BATCH) {
    const batch = uses.slice(at, at + BATCH);
    const ran = await fence.run(batch.map((use) => assemble(programOf(use), true)));
    for (const [i, use] of batch.entries()) {
      const notes = ran[i] ?? [];
      // What happens with the values of keys is seen when only these keys are there.
      const asked = notes.filter((note) => note.startsWith("key "));
      const kept = use.args[0] === "keys" ? asked : harmsOf(notes);
      for (const note of kept) add({ ...use, what: factOf(note, use.args) }, facts);
    }
  }
}

/** Keeps the first use that shows what a name does, the other opcodes that do the same, and all holes. */
function add(fact: Fact, facts: Map<string, Fact>): void {
  const [opcode = ""] = fact.opcodes;
  const group = CALLS.some((call) => call === opcode) ? "call" : opcode;
  const use = isFound(fact) ? group : `${opcode} ${fact.args.join(" ")}`;
  const key = `${fact.path}\t${fact.what}\t${use}`;
  const known = facts.get(key);
  if (known === undefined) facts.set(key, fact);
  else if (!known.opcodes.includes(opcode) && known.args.join() === fact.args.join()) {
    facts.set(key, { ...known, opcodes: [...known.opcodes, opcode] });
  }
}

/** A fact as a line of the file. */
export function lineOf({ path, opcodes, args, what }: Fact): string {
  return [path, opcodes.join(","), args.join(" "), what].join("\t");
}

/** The facts of a file: lines that begin with `#` say what it is. */
export function parseFacts(text: string): Fact[] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
    const [path = "", opcodes = "", args = "", what = ""] = line.split("\t");
    return {
      path,
      opcodes: opcodes.split(","),
      args: args.split(" ").filter((arg) => arg !== ""),
      what,
    };
  });
}
