import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Finding } from "../../contract/checklist.ts";
import { type CodeFacts, inspectCode } from "./code.ts";
import { isObject } from "../../../../schemas/json.ts";
import { type ConfigOrigin, stringsIn } from "./config_values.ts";
import { isWithin } from "./version.ts";

/** Values searched for the code of one lambda: strings, defaults and closures. */
const MAX_VALUES = 300;

/** Checks the Lambda layers and serialized lambdas of one configuration. */
export class LambdaChecks {
  readonly #origin: ConfigOrigin;
  /** Shared, because nested lambdas contain the same strings. */
  readonly #inspected = new Map<string, CodeFacts>();

  constructor(origin: ConfigOrigin) {
    this.#origin = origin;
  }

  /**
   * The finding for a lambda: critical if it contains bytecode, uses dangerous names or is too large to
   * check, or if the version of Keras runs it unasked; else a warning.
   */
  check(config: unknown, className: "Lambda" | "__lambda__"): Finding {
    const { strings, isCut } = stringsIn(functionsOf(config, className), MAX_VALUES);
    const texts = strings.map((text) => this.#inspect(text));
    const names = [...new Set(texts.flatMap(({ dangerousNames }) => dangerousNames))].sort();
    const isTooLarge = isCut || texts.some((text) => text.isCut);
    const danger = describeDanger(names, this.#origin) ??
      (isTooLarge ? "is too large to check completely" : undefined) ??
      (texts.some(({ kind }) => kind === "bytecode") ? "contains bytecode" : undefined);
    return {
      severity: danger === undefined ? "warning" : "critical",
      message: `${labelOf(config, className)} ${danger ?? describeCode(texts)}`,
      ruleCode: "S1103",
      why: "Keras unmarshals and runs the code of a lambda when the model is loaded or used",
      ...(names.length > 0 && { details: { names: names.slice(0, 20) } }),
      ...(isTooLarge && { incomplete: "code_limit", operational: true }),
    };
  }

  #inspect(text: string): CodeFacts {
    const facts = this.#inspected.get(text) ?? inspectCode(text);
    this.#inspected.set(text, facts);
    return facts;
  }
}

/** The values that can be functions, in call order. Other properties of a layer hold no code. */
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

function describeDanger(
  names: readonly string[],
  { kind, kerasVersion }: ConfigOrigin,
): string | undefined {
  if (names.length > 0) return `contains code that uses ${excerpt(names.join(", "))}`;
  if (isWithin(kerasVersion, "0.0", "2.13")) {
    return `runs without consent in Keras ${kerasVersion} (CVE-2024-3660)`;
  }
  if (kind === "h5" && isWithin(kerasVersion, "3.0.0", "3.11.3")) {
    return `runs even in safe mode in Keras ${kerasVersion} (CVE-2025-9905)`;
  }
  return undefined;
}

function describeCode(texts: readonly CodeFacts[]): string {
  return texts.some(({ kind }) => kind === "text") ? "contains code" : "calls a function by name";
}
