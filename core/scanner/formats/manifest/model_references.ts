import { redactedQuote } from "../../knowledge/secrets/redacted_excerpt.ts";
import type { Finding } from "../../contract/checklist.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import { judgeCallable } from "./callables.ts";
import type { DocumentEntry } from "../../readers/document_event.ts";
import { MLFLOW_MODEL } from "./read_manifest.ts";

/** A file or a module that a loader of the model takes from a manifest. */
export interface ModelReference {
  readonly name: "File Reference" | "Import Target" | "Remote Code";
  readonly finding: Finding;
}

/** Keys of TorchServe's `MAR-INF/MANIFEST.json` whose values are files of the archive. */
const TORCH_SERVE_FILES: ReadonlySet<string> = new Set([
  "serializedFile",
  "modelFile",
  "handler",
  "requirementsFile",
  "configFile",
]);

/** The file or module that a value names to the loader of weights, of a PEFT adapter, of TorchServe or of MLflow. */
export function* modelReferences(
  { path, value, position }: DocumentEntry,
  fileName: string,
): Generator<ModelReference, void, void> {
  if (typeof value !== "string") return;
  const key = path.at(-1) ?? "";
  const parent = path.at(-2);
  if (parent === "weight_map") yield* escaping("Weights are read from", value, position);
  if (parent === "auto_mapping" && key === "parent_library") {
    yield* parentLibrary(value, position);
  }
  if (fileName === MLFLOW_MODEL && key === "loader_module") yield* mlflowLoader(value, position);
  if (fileName === MLFLOW_MODEL && path[0] === "flavors") yield* mlflowFiles(key, value, position);
  if (fileName !== "MANIFEST.json" || parent !== "model" || !TORCH_SERVE_FILES.has(key)) return;
  yield* escaping(`TorchServe takes its ${key} from`, value, position);
  if (key === "handler" || key === "modelFile") yield* torchServeCode(key, value, position);
}

function* escaping(
  use: string,
  file: string,
  position: number,
): Generator<ModelReference, void, void> {
  const danger = pathEscape(file);
  if (danger === undefined) return;
  const message = `${use} ${danger}: ${redactedQuote(file)}`;
  yield {
    name: "File Reference",
    finding: { severity: "critical", ruleCode: "S405", message, position },
  };
}

/** PEFT imports the module of the base model by this name. Scripts leave their own, `__main__`. */
function* parentLibrary(module: string, position: number): Generator<ModelReference, void, void> {
  const verdict = module === "__main__" ? "known" : judgeCallable(`${module}.base_model_class`);
  if (verdict === "known") return;
  const severity = verdict === "dangerous"
    ? "critical"
    : verdict === "suspicious"
    ? "warning"
    : "info";
  const message = `PEFT imports ${redactedQuote(module)}`;
  yield { name: "Import Target", finding: { severity, ruleCode: "S107", message, position } };
}

/** MLflow imports the module, and has it load the model. Its own are all below `mlflow`. */
function* mlflowLoader(module: string, position: number): Generator<ModelReference, void, void> {
  if (/^mlflow(?:\.[A-Za-z_]\w*)+$/.test(module)) return;
  const isDangerous = judgeCallable(`${module}._load_pyfunc`) === "dangerous";
  yield {
    name: "Import Target",
    finding: {
      severity: isDangerous ? "critical" : "warning",
      ruleCode: "S107",
      message: `MLflow loads the model with the module ${redactedQuote(module)}`,
      position,
      why: "Loading the model imports this module, which is not part of MLflow, and runs its code",
    },
  };
}

/** Files that MLflow reads for a model: pickles and data, code that the model imports, and code that is the model. */
const MLFLOW_FILES: ReadonlySet<string> = new Set([
  "code",
  "model_path",
  "python_model",
  "pickled_model",
  "model_code_path",
  "data",
]);

function* mlflowFiles(
  key: string,
  file: string,
  position: number,
): Generator<ModelReference, void, void> {
  if (!MLFLOW_FILES.has(key)) return;
  yield* escaping(`MLflow takes the ${key} of the model from`, file, position);
  if (key !== "model_code_path" || !/\.(?:py|ipynb)$/i.test(file)) return;
  const message = `MLflow runs the code ${redactedQuote(file)} to make the model`;
  const why = "The model is the Python code that ships with it";
  yield {
    name: "Remote Code",
    finding: { severity: "warning", ruleCode: "S507", message, position, why },
  };
}

/** A handler is a file, a name of TorchServe's own handlers, or `module:function`. */
function* torchServeCode(
  key: string,
  value: string,
  position: number,
): Generator<ModelReference, void, void> {
  if (/\.py$/i.test(value)) {
    const message = `TorchServe runs the ${key} ${redactedQuote(value)}`;
    const why = "TorchServe imports the Python code that is in the archive";
    yield {
      name: "Remote Code",
      finding: { severity: "warning", ruleCode: "S507", message, position, why },
    };
  } else if (judgeCallable(value) === "dangerous") {
    const message = `TorchServe calls ${redactedQuote(value)}`;
    yield {
      name: "Import Target",
      finding: { severity: "critical", ruleCode: "S104", message, position },
    };
  }
}
