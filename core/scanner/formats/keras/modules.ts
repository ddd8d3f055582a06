import { DANGEROUS_FUNCTIONS } from "../../knowledge/python/dangerous_functions.ts";
import { DANGEROUS_MODULES } from "../../knowledge/python/dangerous_modules.ts";

/** How far a reference to a name in a module can be trusted. */
export type ReferenceKind = "known" | "foreign" | "dangerous";

/** Packages whose classes and functions configurations commonly use. */
const KNOWN_ROOTS = new Set(
  "keras tensorflow tf_keras tf numpy math keras_core keras_nlp keras_cv keras_hub".split(" "),
);

/** Modules that harmless configurations of other tools use, but those of Keras do not. */
const MORE_DANGEROUS_ROOTS: ReadonlySet<string> = new Set(
  "concurrent functools glob io _io itertools logging pathlib types".split(" "),
);

/** Functions of Keras, TensorFlow, NumPy and builtins that run, load or fetch their argument. */
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

/** Modules of the known packages that load code, call compilers or access files. */
const DANGEROUS_PARTS = new Set(
  ("f2py distutils ctypeslib script_ops gfile file_io io_ops file_utils io_utils saving_lib " +
    "serialization_lib legacy_h5_format global_state _datasource").split(" "),
);

/** Classifies a name in a module that Keras imports when it loads the configuration (CVE-2025-1550). */
export function classifyReference(module: string, name: string): ReferenceKind {
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

/** Modules of TensorFlow whose functions access files, Python or models. */
const DANGEROUS_SYMBOL = /(?:^|\.)(?:gfile|saved_model|train|summary|distribute|sysconfig)\./;

/** Whether a TensorFlow symbol that a layer calls, such as `math.add`, does more than compute. */
export function isDangerousSymbol(symbol: string): boolean {
  return DANGEROUS_SYMBOL.test(symbol) ||
    symbol.split(".").some((part) => isDangerousName(part) || part === "get_file");
}
