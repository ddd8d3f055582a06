import { ruleOfModule } from "../../knowledge/python/dangerous_modules.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { NamedFinding } from "../../contract/checklist.ts";
import { leadsOut } from "../../knowledge/file_reference.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import {
  KERAS_CODE,
  KERAS_CUSTOM_OBJECT,
  KERAS_FILE_ACCESS,
  KERAS_MODULE_REFERENCE,
} from "./checks.ts";
import type { ConfigOrigin } from "./origin.ts";
import { isObject } from "../../../../schemas/json.ts";
import type { ConfigObject } from "./config_values.ts";
import { checkLambda, type CodeFound } from "./lambda.ts";
import { isDangerousSymbol, judgeReference } from "./modules.ts";
import { checkTorchModule } from "./torch_module.ts";

/** What is known of a whole configuration while its objects are checked. */
export interface Loading extends ConfigOrigin {
  /** Whether there is a URL anywhere in it. */
  readonly hasUrl: boolean;
  /** What has been found in code so far. */
  readonly codeFound: CodeFound;
}

/** Checks one object of a configuration by itself; those in it are checked on their own. */
export function* checkObject(
  object: ConfigObject,
  loading: Loading,
  context: ScanContext,
): Generator<NamedFinding, void, void> {
  const className = typeof object.class_name === "string" ? object.class_name : undefined;
  if (className !== undefined) {
    yield* checkLambda(object, className, loading, loading.codeFound);
    yield* checkClass(object, className, loading, context);
  }
  if (className !== undefined || typeof object.registered_name === "string") {
    yield* checkRegistration(object, className, loading);
    yield* checkReference(object.module, nameOf(object), loading);
  }
  if (object.fn_module !== undefined) {
    yield* checkReference(object.fn_module, nameOf(object), loading);
  }
}

/** What a module is asked for: the function by the config, the class otherwise. */
function nameOf({ class_name: className, config, fn_name: functionName }: ConfigObject): string {
  if (typeof functionName === "string") return functionName;
  if (className === "function" && typeof config === "string") return config;
  return typeof className === "string" ? className : "";
}

function* checkReference(
  module: unknown,
  name: string,
  loading: Loading,
): Generator<NamedFinding, void, void> {
  const finding = { name: KERAS_MODULE_REFERENCE, ruleCode: "S810" } as const;
  if (typeof module !== "string") {
    if (module === undefined || module === null) yield* checkFetch(name, loading);
    return;
  }
  const told = `${quotedExcerpt(name)} of the module ${quotedExcerpt(module)}`;
  const details = { module: excerpt(module), name: excerpt(name) };
  if (isFetch(name)) return yield* checkFetch(name, loading);
  switch (judgeReference(module, name)) {
    case "known":
      return;
    case "foreign":
      yield { ...finding, severity: "warning", message: `An object is ${told}`, details };
      return;
    case "dangerous":
      yield {
        ...finding,
        severity: "critical",
        message: `An object is ${told}, which does more than compute`,
        ruleCode: ruleOfModule(module) ?? "S810",
        details,
        why:
          "Keras imports the module and takes the name from it when it is loaded (CVE-2025-1550)",
      };
  }
}

function isFetch(name: string): boolean {
  return name === "get_file";
}

function* checkFetch(name: string, { hasUrl }: Loading): Generator<NamedFinding, void, void> {
  if (!isFetch(name)) return;
  yield {
    name: KERAS_FILE_ACCESS,
    severity: hasUrl ? "critical" : "warning",
    message: hasUrl
      ? "The configuration calls get_file, and holds a URL"
      : "The configuration calls get_file",
    ruleCode: "S302",
    why: "When it is loaded, it fetches a file and unpacks it (CVE-2025-8747)",
  };
}

/** Packages whose objects are registered with Keras by those who make it. */
const KERAS_PACKAGES = /^(?:keras|keras_core|keras_nlp|keras_cv|keras_hub|tf_keras|tensorflow)$/i;

function* checkRegistration(
  object: ConfigObject,
  className: string | undefined,
  { kind }: Loading,
): Generator<NamedFinding, void, void> {
  for (const name of new Set([object.registered_name, className])) {
    if (typeof name !== "string") continue;
    const [, owner] = /^([^>]*)>/.exec(name) ?? [];
    if (owner === undefined || KERAS_PACKAGES.test(owner)) continue;
    yield {
      name: KERAS_CUSTOM_OBJECT,
      // A SavedModel does without the class of a custom layer: it brings the graph of it.
      severity: kind === "saved_model" ? "info" : "warning",
      message: `An object needs code that does not come with the model: ${quotedExcerpt(name)}`,
      ruleCode: "S810",
    };
  }
}

const LOOKUP = /^(?:StringLookup|IntegerLookup|IndexLookup|TextVectorization|Hashing)$/;

function* checkClass(
  object: ConfigObject,
  className: string,
  loading: Loading,
  context: ScanContext,
): Generator<NamedFinding, void, void> {
  const config = isObject(object.config) ? object.config : {};
  switch (className) {
    case "TorchModuleWrapper":
      yield* checkTorchModule(config, loading, context);
      return;
    case "PyFunc":
      yield { ...code(`A layer calls Python: "${className}"`), severity: "critical" };
      return;
    case "CallbackLambda":
    case "LambdaCallback":
      yield { ...code(`A callback holds code: "${className}"`), severity: "warning" };
      return;
    case "TFSMLayer":
      yield savedModelLayer(config);
      return;
    case "TFOpLambda":
    case "SlicingOpLambda":
      yield* checkSymbol(config);
      return;
  }
  if (LOOKUP.test(className)) yield* checkVocabulary(config, className);
}

function savedModelLayer({ filepath }: ConfigObject): NamedFinding {
  const path = typeof filepath === "string" ? filepath : "";
  const danger = leadsOut(path);
  return {
    name: KERAS_FILE_ACCESS,
    severity: danger === undefined ? "warning" : "critical",
    message: `A layer is a SavedModel of its own: ${danger ?? "a path"}, ${quotedExcerpt(path)}`,
    ruleCode: "S401",
    why: "When it is loaded, it reads another model, whose graph may touch files",
  };
}

function* checkSymbol(config: ConfigObject): Generator<NamedFinding, void, void> {
  const symbol = config.function ?? config.symbol;
  if (typeof symbol !== "string" || !isDangerousSymbol(symbol)) return;
  const message = `A layer calls ${quotedExcerpt(symbol)}, which does more than compute`;
  yield { ...code(message), severity: "critical" };
}

function code(message: string): Omit<NamedFinding, "severity"> {
  return { name: KERAS_CODE, message, ruleCode: "S1103" };
}

/** A vocabulary that is a text is the path of a file, which is read when the layer is made. */
function* checkVocabulary(
  { vocabulary }: ConfigObject,
  className: string,
): Generator<NamedFinding, void, void> {
  if (typeof vocabulary !== "string") return;
  yield {
    name: KERAS_FILE_ACCESS,
    severity: /^[a-z][a-z0-9+.-]+:\/\//i.test(vocabulary) ? "critical" : "warning",
    message: `A ${className} takes its vocabulary from ${quotedExcerpt(vocabulary)}`,
    ruleCode: "S401",
    why: "When it is loaded, it reads the file or fetches it (CVE-2025-12058)",
  };
}
