import { redactedQuote } from "../../knowledge/secrets/redacted_excerpt.ts";
import type { Finding } from "../../contract/checklist.ts";
import {
  builtinNames,
  moduleNames,
  ofDangers,
  qualifiedNames,
} from "../../knowledge/python/python_code.ts";
import { isDangerousModule, judgeCallable } from "./callables.ts";
import type { DocumentEntry } from "../../readers/document_event.ts";

/** A value that makes a loader run code from the repository, or import a name. */
export interface CodeReference {
  readonly name: "Remote Code" | "Import Target";
  readonly finding: Finding;
}

/** Keys whose values Hydra, MONAI and LightningCLI import and call. */
const TARGET_KEYS: ReadonlySet<string> = new Set([
  "_target_",
  "_target",
  "__target__",
  "class_path",
]);

/** Dangers of the modules that an expression must not use. It may use `os` for paths. */
const inExpressions = ofDangers(
  "code",
  "process",
  "native",
  "import",
  "deserialization",
  "introspection",
  "file",
  "network",
);

/**
 * The values of the keys `target` and `type` that are reported. Latent diffusion and MMEngine import them,
 * while other configurations use the keys for files, addresses and labels.
 */
const DIFFUSION_TARGET = new RegExp(
  String.raw`^${moduleNames("variable", ({ danger }) => danger !== "network")}\.[A-Za-z_]\w*$`,
);

const SPACE = String.raw`\s{0,4}`;
const BUILTINS = builtinNames(ofDangers("code", "import", "introspection", "file"));
const OS_CALLS = qualifiedNames(
  (entry) => ofDangers("shell", "process", "file")(entry) && entry.rule === "S101",
  SPACE,
);
const MODULES = moduleNames("variable", inExpressions);
const FORBIDDEN_MODULES = moduleNames(
  "code",
  (entry) => inExpressions(entry) && entry.level === "forbidden",
);

/** Code in an expression that MONAI evaluates. */
const DANGEROUS_EXPRESSION = new RegExp([
  String.raw`\b${BUILTINS}${SPACE}\(`,
  String.raw`\b${OS_CALLS}`,
  String.raw`\b${MODULES}\b`,
  String.raw`(?<![\w.@#])${FORBIDDEN_MODULES}${SPACE}\.${SPACE}[A-Za-z_]`,
  String.raw`__\w{1,40}__`,
].join("|"));

/** Keys under which transformers looks for an implementation of attention. */
const ATTENTION_KEYS: ReadonlySet<string> = new Set([
  "_attn_implementation",
  "attn_implementation",
  "_attn_implementation_internal",
]);

/** A kernel of a hub: `owner/name`, with a revision and a function if it has them, perhaps for paged attention. */
const KERNEL = /^(?:[\w-]{1,40}\|)?[\w.-]{1,100}\/[\w.-]{1,100}(?:[@:][\w.:\/@-]{1,200})?$/;

const TRUSTED_CODE =
  "With trust_remote_code the loader imports the Python code that ships with the model";

/** What a manifest value makes a loader import or run (scanning 2.11). */
export function* codeReferences(
  entry: DocumentEntry,
  fileName: string,
): Generator<CodeReference, void, void> {
  const { path, value, position } = entry;
  const key = path.at(-1) ?? "";
  if (key === "trust_remote_code" && isTrue(value)) {
    yield remoteCode(
      "trust_remote_code is set: the loader runs code from the repository",
      position,
    );
  }
  if (typeof value !== "string" || value === "") return;
  if (path.some((it) => ATTENTION_KEYS.has(it)) && KERNEL.test(value)) {
    const message = `${redactedQuote(path.join("."))} names a kernel: ${redactedQuote(value)}`;
    yield remoteCode(message, position, "The loader downloads the kernel and runs its code");
  }
  if (namesRepositoryCode(entry, fileName)) {
    const message = `${redactedQuote(path.join("."))} names code to load: ${redactedQuote(value)}`;
    yield remoteCode(message, position);
  }
  if (value.startsWith("$") && DANGEROUS_EXPRESSION.test(value)) {
    const message = `MONAI expression runs code: ${redactedQuote(value)}`;
    const finding: Finding = { severity: "critical", ruleCode: "S104", message, position };
    yield { name: "Import Target", finding };
  }
  const isTarget = TARGET_KEYS.has(key) ||
    (key === "target" || key === "type") && DIFFUSION_TARGET.test(value);
  const finding = isTarget ? targetFinding(key, value, position) : importFinding(
    entry,
    value,
    fileName,
  );
  if (finding !== undefined) yield { name: "Import Target", finding };
}

function remoteCode(message: string, position: number, why = TRUSTED_CODE): CodeReference {
  return {
    name: "Remote Code",
    finding: { severity: "warning", ruleCode: "S507", message, position, why },
  };
}

/** Whether the value names code that ships with the model. */
function namesRepositoryCode({ path, index }: DocumentEntry, fileName: string): boolean {
  const key = path.at(-1);
  if (path.includes("auto_map") || key === "custom_pipeline") return true;
  if (path.includes("custom_pipelines") && key === "impl") return true;
  return fileName === "model_index.json" && key === "_class_name" && index === 0;
}

function targetFinding(key: string, value: string, position: number): Finding | undefined {
  const message = `${key} names ${redactedQuote(value)}`;
  switch (judgeCallable(value)) {
    case "dangerous":
      return { severity: "critical", ruleCode: "S104", message, position, why: TARGET_RUNS };
    case "suspicious":
      return { severity: "warning", ruleCode: "S107", message, position, why: TARGET_RUNS };
    case "unknown":
      return { severity: "info", ruleCode: "S107", message, position };
    case "known":
      return undefined;
  }
}

const TARGET_RUNS = "The loader imports this name and calls it with the values next to it";

/** The names that diffusers and sentence-transformers import from their lists of modules. */
function importFinding(
  { path, index, position }: DocumentEntry,
  value: string,
  fileName: string,
): Finding | undefined {
  if (fileName === "model_index.json" && index === 0 && path.length === 1) {
    if (!isDangerousModule(value)) return undefined;
    const message = `Component is imported from ${redactedQuote(value)}`;
    return { severity: "critical", ruleCode: "S107", message, position };
  }
  if (fileName !== "modules.json" || path.join(".") !== "type") return undefined;
  const verdict = judgeCallable(value);
  if (verdict === "known") return undefined;
  const severity = verdict === "dangerous" ? "critical" : "warning";
  const message = `sentence-transformers module is ${redactedQuote(value)}`;
  return { severity, ruleCode: "S107", message, position };
}

/** Whether a loader treats the value as true. */
function isTrue(value: DocumentEntry["value"]): boolean {
  if (typeof value === "string") return /^\s*(?:true|yes|on|y|1)\s*$/i.test(value);
  return value === true || typeof value === "number" && value !== 0;
}
