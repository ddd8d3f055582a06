import { DANGEROUS_FUNCTIONS } from "../../knowledge/python/dangerous_functions.ts";
import { DANGEROUS_MODULES } from "../../knowledge/python/dangerous_modules.ts";

/** What is to be thought of a Python object that a manifest names to be imported or called. */
export type CallableVerdict = "dangerous" | "suspicious" | "known" | "unknown";

/** Modules that are dangerous wherever another one has them as an attribute. */
const WITHIN: ReadonlySet<string> = new Set(
  ("os _os posix nt subprocess _posixsubprocess sys _sys shutil importlib builtins __builtin__ " +
    "socket ctypes pickle marshal runpy pty webbrowser commands").split(" "),
);

/** Last parts of names that run, load, open or reach for something, besides those of all formats. */
const CALLS: ReadonlySet<string> = new Set(
  `
  spawnl spawnv getoutput getstatusoutput vars attrgetter methodcaller itemgetter resolve_name
  exec_module rmtree unlink read_pickle unsafe_load full_load
`.trim().split(/\s+/),
);

/** Names in modules that are otherwise what models are made of. */
const EXACT: ReadonlySet<string> = new Set(
  ("torch.load torch.serialization.load torch.storage._load_from_bytes torch.hub.load " +
    "torch.hub.load_state_dict_from_url torch.utils.collect_env.run torch.compile torch.jit.load " +
    "torch._inductor.codecache.compile_file torch.distributed.rpc.rpc_sync " +
    "torch.distributed.rpc.rpc_async torch.distributed.rpc.remote numpy.load numpy.savetxt " +
    "numpy.testing._private.utils.runstring typing._eval_type " +
    "typing.get_type_hints functools.reduce functools.partialmethod itertools.starmap " +
    "uuid._popen uuid._get_command_stdout _osx_support._read_output logging.config.dictConfig " +
    "logging.config.fileConfig logging.config.listen pandas.read_pickle pandas.eval " +
    "hydra.utils.get_object hydra.utils.get_method hydra.utils.get_static_method " +
    "hydra.utils.call hydra._internal.utils._locate omegaconf.OmegaConf.register_new_resolver " +
    "io.open pathlib.Path.write_text pathlib.Path.write_bytes pathlib.Path.unlink " +
    "pathlib.Path.open types.CodeType types.FunctionType types.MethodType weakref.finalize " +
    "numpy.f2py.compile torch.utils.cpp_extension.load torch.utils.cpp_extension.load_inline " +
    "torch.package.PackageImporter sympy.sympify sympy.core.sympify.sympify " +
    "sympy.parsing.sympy_parser.parse_expr test.support.script_helper.run_python_until_end")
    .split(" "),
);

/** What may be called of modules that are dangerous otherwise. */
const HARMLESS =
  /^os\.(?:path\.(?:join|basename|dirname|abspath|normpath|expanduser|exists|isfile|isdir)|getcwd|cpu_count)$|^multiprocessing\.cpu_count$/;

/** First parts of the names that configurations of models have. */
const KNOWN: ReadonlySet<string> = new Set(
  ("nemo nemo_toolkit pytorch_lightning lightning torch torchvision torchaudio torchmetrics " +
    "transformers diffusers tokenizers sentence_transformers accelerate peft optimum omegaconf hydra " +
    "megatron apex numpy scipy sklearn pandas dataclasses collections functools monai speechbrain " +
    "keras tensorflow jax flax timm datasets evaluate ultralytics mmengine fairseq fairseq2 " +
    "onnxruntime safetensors").split(" "),
);

/** Words that make a name of an unknown package worth a look. */
const WORDS =
  /(?:^|[._])(?:eval|exec|system|popen|subprocess|import|pickle|marshal|compile|getattr|shell|command|spawn)(?:$|[._])/i;

/**
 * What a dotted name reaches: what must not be called is looked for first and in every part of the
 * name, for `torch.os.system` is `os.system`.
 */
export function judgeCallable(name: string): CallableVerdict {
  const dotted = name.trim().replace(/:/g, ".");
  if (/\$\{|\{\{/.test(dotted)) return "suspicious";
  const parts = dotted.split(".").slice(0, 100).map((part) => part.trim());
  if (HARMLESS.test(dotted)) return "known";
  if (isDangerous(dotted, parts)) return "dangerous";
  if (KNOWN.has(parts[0] ?? "")) return "known";
  return WORDS.test(dotted) ? "suspicious" : "unknown";
}

/** Whether a module by this name is one that nothing is to be called of. */
export function isDangerousModule(name: string): boolean {
  const parts = name.trim().split(".").slice(0, 100);
  return isModule(parts[0] ?? "") || parts.some((part) => WITHIN.has(part));
}

function isDangerous(dotted: string, parts: readonly string[]): boolean {
  const [first = ""] = parts;
  if (isModule(first) && parts.length > 1 || EXACT.has(dotted)) return true;
  const called = parts.at(-1) ?? "";
  if (DANGEROUS_FUNCTIONS.has(called) || CALLS.has(called)) return true;
  return parts.some((part, index) =>
    WITHIN.has(part) && (index > 0 || parts.length > 1) || /^__\w+__$/.test(part)
  );
}

/** Whether it is a module to be called nothing of. A target has no use for a builtin, harmless or not. */
function isModule(root: string): boolean {
  return DANGEROUS_MODULES.has(root) || root === "builtins";
}
