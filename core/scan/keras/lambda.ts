import { cut } from "../graphs/cut.ts";
import type { Finding } from "../graphs/findings.ts";
import { KERAS_CODE } from "./checks.ts";
import { type CodeFacts, inspectCode } from "./code.ts";
import type { ConfigOrigin } from "./config.ts";
import { isObject, type JsonObject, stringsIn } from "./json.ts";
import { isWithin } from "./version.ts";

/** Texts of one lambda that are looked into: code, defaults and closures of three functions. */
const MAX_TEXTS = 100;

/**
 * Checks a Lambda layer or a serialized lambda: code that is worse than a warning is such that names
 * what runs, loads or fetches, or that a version of Keras runs without being asked to.
 */
export function* checkLambda(
  { config }: JsonObject,
  className: string,
  origin: ConfigOrigin,
): Generator<Finding, void, void> {
  if (className !== "Lambda" && className !== "__lambda__") return;
  const texts = textsOf(config, className).map(inspectCode);
  const names = [...new Set(texts.flatMap(({ dangerousNames }) => dangerousNames))].sort();
  const danger = describeDanger(names, origin);
  yield {
    name: KERAS_CODE,
    severity: danger === undefined ? "warning" : "critical",
    message: `${labelOf(config, className)} ${danger ?? describeCode(texts)}`,
    ruleCode: "S1103",
    why: "Keras unmarshals and runs the code of a lambda when the model is loaded or used",
    ...(names.length > 0 && { details: { names: names.slice(0, 20) } }),
    ...(texts.some(({ isCut }) => isCut) && { incomplete: "code_limit" }),
  };
}

/** The texts that stand for functions; what a layer holds besides, such as its name, is none. */
function textsOf(config: unknown, className: string): string[] {
  if (className === "__lambda__" || !isObject(config)) return stringsIn(config, MAX_TEXTS);
  const { function: called, output_shape: shape, mask } = config;
  return stringsIn([called, shape, mask], MAX_TEXTS);
}

function labelOf(config: unknown, className: string): string {
  if (className === "__lambda__") return "A lambda";
  const name = isObject(config) && typeof config.name === "string" ? ` "${cut(config.name)}"` : "";
  return `A Lambda layer${name}`;
}

function describeDanger(names: readonly string[], origin: ConfigOrigin): string | undefined {
  const { kind, kerasVersion } = origin;
  if (names.length > 0) return `holds code that names ${cut(names.join(", "))}`;
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
