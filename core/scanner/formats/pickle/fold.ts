import { decodeText } from "./literals.ts";
import {
  type BuiltText,
  type Import,
  importPath,
  type PickleValue,
  type TextOf,
  UNKNOWN,
} from "./values.ts";

/** The part of the machine that folding needs. */
export interface FoldContext {
  readonly textOf: TextOf;
  importNames(module: string, name: string): Import;
}

type Fold = (args: readonly PickleValue[], machine: FoldContext) => PickleValue | undefined;

/** Longest string that is built, and longest string or list that it is built from. */
const MAX_BUILT_LENGTH = 256;

const built = (text: string | undefined): BuiltText | undefined =>
  text === undefined || text.length > MAX_BUILT_LENGTH ? undefined : { kind: "built", text };

const join: Fold = ([separator = UNKNOWN, parts = UNKNOWN], machine) => {
  const glue = machine.textOf(separator);
  if (glue === undefined || (parts.kind !== "list" && parts.kind !== "tuple")) return undefined;
  const texts: string[] = [];
  let length = 0;
  for (const part of parts.items) {
    const text = machine.textOf(part);
    length += (text?.length ?? 0) + (texts.length > 0 ? glue.length : 0);
    // The same parts may be joined a hundred thousand times.
    if (text === undefined || length > MAX_BUILT_LENGTH || texts.length === MAX_BUILT_LENGTH) {
      return undefined;
    }
    texts.push(text);
  }
  return built(texts.join(glue));
};

const concatenate: Fold = ([left = UNKNOWN, right = UNKNOWN], machine) => {
  const [first, second] = [machine.textOf(left), machine.textOf(right)];
  return first === undefined || second === undefined ? undefined : built(first + second);
};

const decode: Fold = ([bytes = UNKNOWN, encoding = UNKNOWN], machine) => {
  const text = machine.textOf(bytes);
  if (text === undefined || text.length > MAX_BUILT_LENGTH) return undefined;
  return built(decodedBy((machine.textOf(encoding) ?? "utf-8").toLowerCase(), text));
};

function decodedBy(encoding: string, text: string): string | undefined {
  switch (encoding.replaceAll(/[-_]|codec/g, "")) {
    case "utf8":
    case "ascii":
    case "latin1":
      return text;
    case "rot13":
      return text.replace(/[a-zA-Z]/g, (letter) => {
        const base = letter <= "Z" ? 65 : 97;
        return String.fromCharCode((letter.charCodeAt(0) - base + 13) % 26 + base);
      });
    case "hex":
      return latin1Of(
        Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (pair) => parseInt(pair, 16)),
      );
    case "base64":
      return base64Text(text);
    default:
      return undefined;
  }
}

function base64Text(text: string): string | undefined {
  try {
    return latin1Of(Uint8Array.fromBase64(text.trim()));
  } catch {
    return undefined;
  }
}

function latin1Of(bytes: Uint8Array): string {
  return decodeText(bytes, "latin1");
}

/** `getattr`: an attribute of an import is an import too. */
const attribute: Fold = ([object = UNKNOWN, name = UNKNOWN], machine) => {
  const text = machine.textOf(name);
  if (object.kind !== "import" || text === undefined) return undefined;
  const { module, name: owner } = object.record;
  if (owner.length + text.length > MAX_BUILT_LENGTH) return undefined;
  return machine.importNames(module, owner === "" ? text : `${owner}.${text}`);
};

const importModule: Fold = ([name = UNKNOWN], machine) => {
  const text = machine.textOf(name);
  return text === undefined ? undefined : machine.importNames(text, "");
};

/** `pkgutil.resolve_name`: `module:name` or a dotted path. */
const resolveName: Fold = ([name = UNKNOWN], machine) => {
  const text = machine.textOf(name);
  if (text === undefined) return undefined;
  const colon = text.indexOf(":");
  return colon < 0
    ? machine.importNames(text, "")
    : machine.importNames(text.slice(0, colon), text.slice(colon + 1));
};

/** Returns the object that it is given. */
const same: Fold = ([value]) => value;

const FOLDS: ReadonlyMap<string, Fold> = new Map([
  ["builtins.str.join", join],
  ["builtins.str.__add__", concatenate],
  ["builtins.bytes.decode", decode],
  ["builtins.getattr", attribute],
  ["builtins.__import__", importModule],
  ["codecs.decode", decode],
  ["codecs.encode", decode],
  ["_codecs.decode", decode],
  [
    "base64.b64decode",
    (args, machine) => decode([args[0] ?? UNKNOWN, { kind: "built", text: "base64" }], machine),
  ],
  ["importlib.import_module", importModule],
  ["inspect.getattr_static", attribute],
  ["operator.add", concatenate],
  ["operator.concat", concatenate],
  ["pkgutil.resolve_name", resolveName],
  ...["restore_type_tag", "build_boollist", "build_doublelist", "build_intlist", "build_tensorlist"]
    .map((name) => [`torch.jit._pickle.${name}`, same] as const),
]);

/**
 * Evaluates a call that builds a string or looks up an attribute, such as pickles use to hide a name, or
 * that returns its argument. Returns its result, or undefined for any other call.
 */
export function foldCall(
  callee: PickleValue,
  args: readonly PickleValue[],
  machine: FoldContext,
): PickleValue | undefined {
  if (callee.kind === "import") return FOLDS.get(callee.record.path)?.(args, machine);
  return callee.kind === "call"
    ? foldCallOfCall(callee.callee, callee.args, args, machine)
    : undefined;
}

/** `attrgetter("name")(object)` and `methodcaller("name")(object)`. */
function foldCallOfCall(
  maker: PickleValue,
  made: readonly PickleValue[],
  args: readonly PickleValue[],
  machine: FoldContext,
): PickleValue | undefined {
  const path = importPath(maker);
  if (path !== "operator.attrgetter" && path !== "operator.methodcaller") return undefined;
  return attribute([args[0] ?? UNKNOWN, made[0] ?? UNKNOWN], machine);
}

/** Whether a lookup returned an attribute that is allowed: of time zones, for instance. */
export function isHarmless(folded: PickleValue): boolean {
  return folded.kind === "import" && folded.record.use !== undefined &&
    folded.record.name.includes(".");
}
