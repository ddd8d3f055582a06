import { DANGEROUS_FUNCTIONS } from "../../knowledge/python/dangerous_functions.ts";
import { DANGEROUS_MODULES } from "../../knowledge/python/dangerous_modules.ts";

/** What a reference to a name in a module can do. */
export type Reference = "known" | "foreign" | "dangerous";

/** Packages of which a config names classes and functions as a matter of course. */
const KNOWN_ROOTS = new Set(
  "keras tensorflow tf_keras tf numpy math keras_core keras_nlp keras_cv keras_hub".split(" "),
);

/** Modules that honest configurations of other tools name, and those of Keras do not. */
const MORE_DANGEROUS_ROOTS: ReadonlySet<string> = new Set(
  "concurrent functools glob io _io itertools logging pathlib types".split(" "),
);

/** Functions of Keras, TensorFlow, NumPy and the builtins that run, load or fetch what they are given. */
const MORE_DANGEROUS_NAMES: ReadonlySet<string> = new Set(
  `
  compile open input vars exit quit load_source urlopen urlretrieve exec_command load_model
  load_weights load_library load_op_library load_file_system_library load_plugin py_function
  numpy_function py_func PyFunc EagerPyFunc read_file write_file ReadFile WriteFile
  matching_files MatchingFiles func_load extract_archive model_from_json model_from_config
  model_from_yaml load loads fromfile memmap save savez savez_compressed savetxt loadtxt genfromtxt
  DataSource enable_unsafe_deserialization save_model save_weights save_img load_img write_graph
  rmtree delete_recursively delete_recursively_v2 image_dataset_from_directory
  text_dataset_from_directory audio_dataset_from_directory
`.trim().split(/\s+/),
);

/** Parts of packages that are known otherwise which load code, call compilers or touch files. */
const DANGEROUS_PARTS = new Set(
  ("f2py distutils ctypeslib script_ops gfile file_io io_ops file_utils io_utils saving_lib " +
    "serialization_lib legacy_h5_format global_state _datasource").split(" "),
);

/** Judges the name in the module that a config has imported when it is loaded (CVE-2025-1550). */
export function judgeReference(module: string, name: string): Reference {
  const [root = "", ...parts] = module.split(".");
  if (isDangerousRoot(root) || isDangerousName(name)) return "dangerous";
  if (parts.some((part) => DANGEROUS_PARTS.has(part))) return "dangerous";
  return root === "builtins" || KNOWN_ROOTS.has(root) ? "known" : "foreign";
}

function isDangerousRoot(root: string): boolean {
  return DANGEROUS_MODULES.has(root) || MORE_DANGEROUS_ROOTS.has(root);
}

function isDangerousName(name: string): boolean {
  return DANGEROUS_FUNCTIONS.has(name) || MORE_DANGEROUS_NAMES.has(name);
}

/** Functions of TensorFlow that a TFOpLambda must not name: those of files, of Python and of models. */
const DANGEROUS_SYMBOL = /(?:^|\.)(?:gfile|saved_model|train|summary|distribute|sysconfig)\./;

/** Whether the symbol of TensorFlow that a layer calls, such as `math.add`, does more than compute. */
export function isDangerousSymbol(symbol: string): boolean {
  return DANGEROUS_SYMBOL.test(symbol) ||
    symbol.split(".").some((part) => isDangerousName(part) || part === "get_file");
}
