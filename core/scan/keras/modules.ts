import type { RuleCode } from "../rules.ts";

/** What a reference to a name in a module can do. */
export type Reference = "known" | "foreign" | "dangerous";

/** Packages of which a config names classes and functions as a matter of course. */
const KNOWN_ROOTS = new Set(
  "keras tensorflow tf_keras tf numpy math keras_core keras_nlp keras_cv keras_hub".split(" "),
);

/** Modules that run code, start processes, touch files or the network, or import at will. */
const DANGEROUS_ROOTS = new Set(
  `
  code codeop runpy marshal timeit trace pdb bdb profile cProfile doctest pydoc idlelib lib2to3
  compileall py_compile _xxsubinterpreters _interpreters imp pipes os posix nt subprocess
  _posixsubprocess commands pty multiprocessing asyncio signal threading _thread pexpect atexit sched
  concurrent shutil fileinput filecmp shelve sqlite3 mmap distutils tarfile zipfile ntpath posixpath io
  _io codecs pathlib tempfile glob linecache logging site socket ssl http httplib urllib urllib2
  urllib3 requests aiohttp httpx ftplib telnetlib smtplib poplib imaplib nntplib socketserver xmlrpc
  select selectors webbrowser importlib zipimport pip ensurepip venv pkgutil copyreg unittest
  setuptools _frozen_importlib _imp _operator operator functools itertools inspect gc types ctypes
  _ctypes sys syslog pickle _pickle cPickle dill cloudpickle joblib yaml jsonpickle
  antigravity nose pytest
`.trim().split(/\s+/),
);

/** Functions of any module that run, load or fetch what they are given. */
const DANGEROUS_NAMES = new Set(
  `
  eval exec execfile compile __import__ open input breakpoint getattr setattr delattr globals locals
  vars exit quit system popen spawn import_module load_module load_source run_module
   run_path Popen check_call check_output urlopen urlretrieve exec_command runstring
  load_model load_weights load_library load_op_library load_file_system_library load_plugin
  py_function numpy_function py_func PyFunc EagerPyFunc read_file write_file ReadFile WriteFile
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
  if (DANGEROUS_ROOTS.has(root) || DANGEROUS_NAMES.has(name)) return "dangerous";
  if (parts.some((part) => DANGEROUS_PARTS.has(part))) return "dangerous";
  return root === "builtins" || KNOWN_ROOTS.has(root) ? "known" : "foreign";
}

const RULE_OF_ROOT: Readonly<Record<string, RuleCode>> = {
  os: "S101",
  posix: "S101",
  nt: "S101",
  sys: "S102",
  subprocess: "S103",
  commands: "S103",
  builtins: "S104",
  importlib: "S107",
  runpy: "S108",
  webbrowser: "S109",
  ctypes: "S110",
  socket: "S301",
  requests: "S302",
  urllib: "S302",
  pickle: "S213",
  shutil: "S403",
};

/** The rule that stands for a module, S810 (a layer with code) where it has none of its own. */
export function ruleOfModule(module: string): RuleCode {
  return RULE_OF_ROOT[module.split(".")[0] ?? ""] ?? "S810";
}

/** Functions of TensorFlow that a TFOpLambda must not name: those of files, of Python and of models. */
const DANGEROUS_SYMBOL = /(?:^|\.)(?:gfile|saved_model|train|summary|distribute|sysconfig)\./;

/** Whether the symbol of TensorFlow that a layer calls, such as `math.add`, does more than compute. */
export function isDangerousSymbol(symbol: string): boolean {
  return DANGEROUS_SYMBOL.test(symbol) ||
    symbol.split(".").some((part) => DANGEROUS_NAMES.has(part) || part === "get_file");
}
