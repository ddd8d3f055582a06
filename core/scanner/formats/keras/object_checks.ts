import { Buffer } from "node:buffer";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist, Finding } from "../../contract/checklist.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import { memorySource } from "../../contract/source.ts";
import {
  KERAS_CODE,
  KERAS_CUSTOM_OBJECT,
  KERAS_FILE_ACCESS,
  KERAS_MODULE_REFERENCE,
} from "./checks.ts";
import { isObject } from "../../../../schemas/json.ts";
import type { ConfigObject, ConfigOrigin } from "./config_values.ts";
import { LambdaChecks } from "./lambda.ts";
import { classifyReference, isDangerousSymbol, ruleOfModule } from "./modules.ts";
import { isVersion, isWithin } from "./version.ts";

/** What the checks of an object need to know of the whole configuration. */
export interface ConfigSummary extends ConfigOrigin {
  /** Whether the configuration contains a URL anywhere. */
  readonly hasUrl: boolean;
}

/** Packages that register their own objects with Keras. */
const KERAS_PACKAGES = /^(?:keras|keras_core|keras_nlp|keras_cv|keras_hub|tf_keras|tensorflow)$/i;

const LOOKUP_LAYER = /^(?:StringLookup|IntegerLookup|IndexLookup|TextVectorization|Hashing)$/;

/** Checks the objects of one configuration. */
export class ObjectChecks {
  readonly #config: ConfigSummary;
  readonly #checks: Checklist;
  readonly #context: ScanContext;
  readonly #lambdas: LambdaChecks;

  constructor(config: ConfigSummary, checks: Checklist, context: ScanContext) {
    this.#config = config;
    this.#checks = checks;
    this.#context = context;
    this.#lambdas = new LambdaChecks(config);
  }

  /** Checks one object without the objects nested in it. */
  check(object: ConfigObject): void {
    const className = typeof object.class_name === "string" ? object.class_name : undefined;
    if (className !== undefined) this.#checkClass(object, className);
    if (className !== undefined || typeof object.registered_name === "string") {
      this.#checkRegistration(object, className);
      this.#checkReference(object.module, referenceName(object));
    }
    if (object.fn_module !== undefined) {
      this.#checkReference(object.fn_module, referenceName(object));
    }
  }

  #checkReference(module: unknown, name: string): void {
    if (typeof module !== "string") {
      if ((module === undefined || module === null) && isFetch(name)) this.#addFetch();
      return;
    }
    if (isFetch(name)) return this.#addFetch();
    const kind = classifyReference(module, name);
    if (kind === "known") return;
    const target = `${quotedExcerpt(name)} of module ${quotedExcerpt(module)}`;
    const details = { module: excerpt(module), name: excerpt(name) };
    if (kind === "foreign") {
      const message = `An object uses ${target}, which is not Keras, TensorFlow or NumPy`;
      return this.#checks.add(KERAS_MODULE_REFERENCE, {
        severity: "warning",
        message,
        ruleCode: "S810",
        details,
      });
    }
    this.#checks.add(KERAS_MODULE_REFERENCE, {
      severity: "critical",
      message: `An object uses ${target}, which does more than compute`,
      ruleCode: ruleOfModule(module) ?? "S810",
      details,
      why:
        "Keras imports the module and looks up the name when the model is loaded (CVE-2025-1550)",
    });
  }

  #addFetch(): void {
    const { hasUrl } = this.#config;
    this.#checks.add(KERAS_FILE_ACCESS, {
      severity: hasUrl ? "critical" : "warning",
      message: `The configuration calls get_file${hasUrl ? " and contains a URL" : ""}`,
      ruleCode: "S302",
      why: "get_file downloads and unpacks a file when the model is loaded (CVE-2025-8747)",
    });
  }

  #checkRegistration(object: ConfigObject, className: string | undefined): void {
    for (const name of new Set([object.registered_name, className])) {
      if (typeof name !== "string") continue;
      const [, owner] = /^([^>]*)>/.exec(name) ?? [];
      if (owner === undefined || KERAS_PACKAGES.test(owner)) continue;
      this.#checks.add(KERAS_CUSTOM_OBJECT, {
        // A SavedModel contains the graph of a custom layer, so it does not need the class.
        severity: this.#config.kind === "saved_model" ? "info" : "warning",
        message: `A custom object needs code that is not in the model: ${quotedExcerpt(name)}`,
        ruleCode: "S810",
      });
    }
  }

  #checkClass(object: ConfigObject, className: string): void {
    const config = isObject(object.config) ? object.config : {};
    switch (className) {
      case "Lambda":
      case "__lambda__":
        return this.#checks.add(KERAS_CODE, this.#lambdas.check(object.config, className));
      case "TorchModuleWrapper":
        return this.#checkTorchModule(config);
      case "PyFunc":
        return this.#checks.add(KERAS_CODE, {
          severity: "critical",
          message: `A layer calls Python: "${className}"`,
          ruleCode: "S1103",
        });
      case "CallbackLambda":
      case "LambdaCallback":
        return this.#checks.add(KERAS_CODE, {
          severity: "warning",
          message: `A callback contains code: "${className}"`,
          ruleCode: "S1103",
        });
      case "TFSMLayer":
        return this.#checks.add(KERAS_FILE_ACCESS, savedModelLayer(config));
      case "TFOpLambda":
      case "SlicingOpLambda":
        return this.#checkSymbol(config);
    }
    if (LOOKUP_LAYER.test(className)) this.#checkVocabulary(config, className);
  }

  /**
   * Reports a TorchModuleWrapper, and scans the Base64 pickle in it as a member. Keras 3.11.0 to 3.11.2
   * loads it even in safe mode (CVE-2025-49655).
   */
  #checkTorchModule({ module }: ConfigObject): void {
    const { kerasVersion } = this.#config;
    const isKnown = kerasVersion !== undefined && isVersion(kerasVersion);
    const isSafe = isKnown && !isWithin(kerasVersion, "3.11.0", "3.11.3");
    const isTooLong = typeof module === "string" &&
      module.length > this.#context.limits.maxMemberBytes;
    this.#checks.add(KERAS_CODE, {
      severity: isSafe ? "warning" : "critical",
      message: "A TorchModuleWrapper contains a pickle",
      ruleCode: "S1103",
      why: "Keras loads the pickle with torch.load, which can run code (CVE-2025-49655)",
      ...(isTooLong && { incomplete: "member_size_limit", operational: true }),
    });
    if (typeof module !== "string" || isTooLong) return;
    const bytes = new Uint8Array(Buffer.from(module, "base64"));
    const allowed = this.#context.reserveUnpacked(bytes.length);
    this.#context.scanMember("TorchModuleWrapper", memorySource(bytes.subarray(0, allowed)));
  }

  #checkSymbol(config: ConfigObject): void {
    const symbol = config.function ?? config.symbol;
    if (typeof symbol !== "string" || !isDangerousSymbol(symbol)) return;
    this.#checks.add(KERAS_CODE, {
      severity: "critical",
      message: `A layer calls ${quotedExcerpt(symbol)}, which does more than compute`,
      ruleCode: "S1103",
    });
  }

  /** A vocabulary that is a string is a path, which Keras reads when it creates the layer. */
  #checkVocabulary({ vocabulary }: ConfigObject, className: string): void {
    if (typeof vocabulary !== "string") return;
    this.#checks.add(KERAS_FILE_ACCESS, {
      severity: /^[a-z][a-z0-9+.-]+:\/\//i.test(vocabulary) ? "critical" : "warning",
      message: `A ${className} layer loads its vocabulary from ${quotedExcerpt(vocabulary)}`,
      ruleCode: "S401",
      why: "Keras reads or downloads the file when the model is loaded (CVE-2025-12058)",
    });
  }
}

/** The name that Keras looks up in a module: a function by its configuration, else the class. */
function referenceName(
  { class_name: className, config, fn_name: functionName }: ConfigObject,
): string {
  if (typeof functionName === "string") return functionName;
  if (className === "function" && typeof config === "string") return config;
  return typeof className === "string" ? className : "";
}

function isFetch(name: string): boolean {
  return name === "get_file";
}

function savedModelLayer({ filepath }: ConfigObject): Finding {
  const path = typeof filepath === "string" ? filepath : "";
  const danger = pathEscape(path);
  return {
    severity: danger === undefined ? "warning" : "critical",
    message: `A layer loads another SavedModel from ${danger ?? "a path"}: ${quotedExcerpt(path)}`,
    ruleCode: "S401",
    why: "Keras loads the other model with this one, and its graph can access files",
  };
}
