import type { Issue } from "../../../schemas/report/report.ts";
import { isAboutLoading, ruleOf } from "../contract/rules.ts";

/**
 * What to do about code in a file that its loader could run, by the scanner that found it. The advice of
 * the rule itself holds for all other formats.
 */
const LOADING_ADVICE: Readonly<Record<string, string>> = {
  pickle:
    "Do not unpickle this file: take its weights as safetensors, or load a PyTorch file with weights_only=True.",
  joblib: "Do not load this file: joblib unpickles it, so take the model as skops or ONNX.",
  torchscript:
    "Read the code before you load the model with torch.jit, or take its weights as safetensors.",
  safetensors:
    "Do not use the file until you know why its metadata has this: loaders of weights do not need it.",
  keras: "Read the code before you load the model, and do not load it with safe_mode=False.",
  hdf5: "Read the code before you load the model: older versions of Keras run it from HDF5 files " +
    "even with safe_mode=True.",
  gguf:
    "Read the template, and give the runtime one of your own, as with --chat-template-file of llama.cpp.",
  jinja: "Read the template, and render it only in a sandbox that does not change data.",
  manifest:
    "Read it as data, as with yaml.safe_load, and load what it names only after you have read that code.",
  onnx:
    "Find out which files and libraries the model names, and load it with custom operators only if you trust them.",
  saved_model:
    "Find out what the operations do, and run the graph only in a sandbox without files.",
  tflite: "Find out what the operations do, and run the model in an interpreter without Flex and " +
    "custom operations.",
  flax_msgpack: "Restore it as arrays only, and not as objects of classes that it names.",
  torch7:
    "Do not load this file with torch.load of Lua, which runs its code: take the weights alone.",
  skops:
    "Do not add the types of this file to the trusted ones of skops until you know what they do.",
  rdata:
    "Do not load this file with readRDS or load, which can run its code: take the data as text.",
  caffe: "Read the Python module that the layer names, or use a Caffe without Python layers.",
};

const NO_RULE = "Do not load the file until you know why this is there.";

/** What to do about an issue, as it fits the format of its file. */
export function adviceOf({ rule_code, type }: Pick<Issue, "rule_code" | "type">): string {
  const advice = ruleOf(rule_code)?.advice ?? NO_RULE;
  const scanner = type?.replace(/_check$/, "") ?? "";
  const isKnown = Object.hasOwn(LOADING_ADVICE, scanner) && isAboutLoading(rule_code);
  return isKnown ? LOADING_ADVICE[scanner] ?? advice : advice;
}
