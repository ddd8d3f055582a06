import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { NamedFinding } from "../../contract/checklist.ts";
import { KERAS_CODE } from "./checks.ts";
import { type CodeFacts, inspectCode } from "./code.ts";
import type { ConfigOrigin } from "./origin.ts";
import { isObject } from "../../../../schemas/json.ts";
import { type ConfigObject, stringsIn } from "./config_values.ts";
import { isWithin } from "./version.ts";

/** Values that are looked into for the code of one lambda: texts, defaults and closures. */
const MAX_VALUES = 300;

/** What has been found in texts that stand for functions, which lambdas in each other have in common. */
export type CodeFound = Map<string, CodeFacts>;

/**
 * Checks a Lambda layer or a serialized lambda: code that is worse than a warning is such that names
 * what runs, loads or fetches, or that a version of Keras runs without being asked to.
 */
export function* checkLambda(
  { config }: ConfigObject,
  className: string,
  origin: ConfigOrigin,
  found: CodeFound,
): Generator<NamedFinding, void, void> {
  if (className !== "Lambda" && className !== "__lambda__") return;
  const { strings, isCut } = stringsIn(functionsOf(config, className), MAX_VALUES);
  const texts = strings.map((text) => inspectOnce(text, found));
  const names = [...new Set(texts.flatMap(({ dangerousNames }) => dangerousNames))].sort();
  const isTooLarge = isCut || texts.some((text) => text.isCut);
  const danger = describeDanger(names, origin) ??
    (isTooLarge ? "is larger than what is looked into" : undefined);
  yield {
    name: KERAS_CODE,
    severity: danger === undefined ? "warning" : "critical",
    message: `${labelOf(config, className)} ${danger ?? describeCode(texts)}`,
    ruleCode: "S1103",
    why: "Keras unmarshals and runs the code of a lambda when the model is loaded or used",
    ...(names.length > 0 && { details: { names: names.slice(0, 20) } }),
    ...(isTooLarge && { incomplete: "code_limit" }),
  };
}

function inspectOnce(text: string, found: CodeFound): CodeFacts {
  const facts = found.get(text) ?? inspectCode(text);
  found.set(text, facts);
  return facts;
}

/** What stands for functions, in the order in which it is called; what a layer has besides is none. */
function functionsOf(config: unknown, className: string): unknown {
  if (!isObject(config)) return config;
  return className === "Lambda"
    ? [config.function, config.output_shape, config.mask]
    : [config.code, config.value, config.defaults, config.closure];
}

function labelOf(config: unknown, className: string): string {
  if (className === "__lambda__") return "A lambda";
  const name = isObject(config) && typeof config.name === "string"
    ? ` ${quotedExcerpt(config.name)}`
    : "";
  return `A Lambda layer${name}`;
}

function describeDanger(names: readonly string[], origin: ConfigOrigin): string | undefined {
  const { kind, kerasVersion } = origin;
  if (names.length > 0) return `holds code that names ${excerpt(names.join(", "))}`;
  if (isWithin(kerasVersion, "0.0", "2.13")) {
    return `runs without being asked for in Keras ${kerasVersion} (CVE-2024-3660)`;
  }
  if (kind === "h5" && isWithin(kerasVersion, "3.0.0", "3.11.3")) {
    return `runs in safe mode too in Keras ${kerasVersion} (CVE-2025-9905)`;
  }
  return undefined;
}

function describeCode(texts: readonly CodeFacts[]): string {
  return texts.some(({ isCode }) => isCode) ? "holds code" : "calls a function by its name";
}
