import type { Danger } from "../../knowledge/python/danger.ts";
import { dangerOf, modulePart, recognizedIn } from "../../knowledge/python/dangerous_names.ts";

/** The verdict on a Python object that a manifest names to be imported or called. */
export type CallableVerdict = "dangerous" | "suspicious" | "known" | "unknown";

/** Functions that are dangerous in any module. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...recognizedIn("import").keys(),
  ...recognizedIn("method").keys(),
]);

/** Training configurations read data sets, and wrap functions, by names of these dangers. */
const MILD_DANGERS: ReadonlySet<Danger> = new Set<Danger>(["data", "indirection"]);

/** What may be called of modules that are dangerous otherwise. */
const HARMLESS =
  /^os\.(?:path\.(?:join|basename|dirname|abspath|normpath|expanduser|exists|isfile|isdir)|getcwd|cpu_count)$|^multiprocessing\.cpu_count$|^functools\.partial$/;

/** Roots of the names that configurations of models use. */
const KNOWN: ReadonlySet<string> = new Set(
  ("nemo nemo_toolkit pytorch_lightning lightning torch torchvision torchaudio torchmetrics " +
    "transformers diffusers tokenizers sentence_transformers accelerate peft optimum omegaconf hydra " +
    "megatron apex numpy scipy sklearn pandas dataclasses collections functools monai speechbrain " +
    "keras tensorflow jax flax timm datasets evaluate ultralytics mmengine fairseq fairseq2 " +
    "onnxruntime safetensors").split(" "),
);

/** Words that make a name in an unknown package suspicious. */
const WORDS =
  /(?:^|[._])(?:eval|exec|system|popen|subprocess|import|pickle|marshal|compile|getattr|shell|command|spawn)(?:$|[._])/i;

/**
 * Judges a dotted name. Danger is looked for first and in every part of the name, for `torch.os.system`
 * is `os.system`.
 */
export function judgeCallable(name: string): CallableVerdict {
  const dotted = name.trim().replace(/:/g, ".");
  if (/\$\{|\{\{/.test(dotted)) return "suspicious";
  const parts = dotted.split(".").slice(0, 100).map((part) => part.trim());
  if (HARMLESS.test(dotted)) return "known";
  const listed = parts.length > 1 ? judgeListed(parts.join(".")) : undefined;
  if (listed === "dangerous" || isDangerous(parts)) return "dangerous";
  if (listed !== undefined) return listed;
  if (KNOWN.has(parts[0] ?? "")) return "known";
  return WORDS.test(dotted) ? "suspicious" : "unknown";
}

/** Whether nothing of the module should be imported. */
export function isDangerousModule(name: string): boolean {
  const parts = name.trim().split(".").slice(0, 100);
  return judgeListed(parts.join(".")) === "dangerous" ||
    parts.some((part) => modulePart(part) !== undefined || isDunder(part));
}

function judgeListed(path: string): "dangerous" | "suspicious" | undefined {
  const { level, danger } = dangerOf(path) ?? {};
  if (level === undefined || danger === undefined || level === "ordinary") return undefined;
  return level === "odd" || MILD_DANGERS.has(danger) ? "suspicious" : "dangerous";
}

/** Whether a part gives the danger away. No configuration has a use for a builtin, harmless or not. */
function isDangerous(parts: readonly string[]): boolean {
  if (FUNCTIONS.has(parts.at(-1) ?? "")) return true;
  return parts.some((part) => parts.length > 1 && modulePart(part) !== undefined || isDunder(part));
}

function isDunder(part: string): boolean {
  return /^__\w+__$/.test(part);
}
