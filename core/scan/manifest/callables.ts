/** What is to be thought of a Python object that a manifest names to be imported or called. */
export type CallableVerdict = "dangerous" | "suspicious" | "known" | "unknown";

/** Modules of which nothing is to be called by a manifest, by the first part of the name. */
const MODULES: ReadonlySet<string> = new Set(
  ("os posix nt subprocess _posixsubprocess commands pty multiprocessing asyncio signal threading " +
    "_thread pexpect code codeop runpy marshal timeit trace pdb bdb profile cProfile doctest pydoc " +
    "idlelib lib2to3 compileall py_compile _xxsubinterpreters _interpreters imp pipes shutil " +
    "fileinput filecmp shelve sqlite3 mmap distutils ntpath posixpath tarfile zipfile tempfile " +
    "socket ssl http httplib urllib urllib2 requests aiohttp ftplib telnetlib smtplib poplib imaplib " +
    "nntplib socketserver xmlrpc select selectors webbrowser importlib zipimport pip ensurepip venv " +
    "_frozen_importlib _imp pkgutil copyreg site unittest builtins __builtin__ __builtins__ operator " +
    "_operator inspect gc sys ctypes _ctypes _signal syslog faulthandler resource pickle _pickle " +
    "cPickle dill cloudpickle joblib jsonpickle yaml codecs fickling picklescan modelscan " +
    "modelaudit setuptools atexit sched linecache").split(" "),
);

/** Modules that are dangerous wherever another one has them as an attribute. */
const WITHIN: ReadonlySet<string> = new Set(
  ("os _os posix nt subprocess _posixsubprocess sys _sys shutil importlib builtins __builtin__ " +
    "socket ctypes pickle marshal runpy pty webbrowser commands").split(" "),
);

/** Last parts of names that run, load, open or reach for something. */
const CALLS: ReadonlySet<string> = new Set(
  ("eval exec execfile __import__ import_module system popen Popen spawn spawnl spawnv " +
    "check_output check_call getoutput getstatusoutput getattr setattr delattr globals locals vars " +
    "attrgetter methodcaller itemgetter breakpoint run_module run_path runstring " +
    "resolve_name load_module exec_module rmtree unlink read_pickle unsafe_load full_load")
    .split(" "),
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
  return MODULES.has(parts[0] ?? "") || parts.some((part) => WITHIN.has(part));
}

function isDangerous(dotted: string, parts: readonly string[]): boolean {
  const [first = ""] = parts;
  if (MODULES.has(first) && parts.length > 1 || EXACT.has(dotted)) return true;
  if (CALLS.has(parts.at(-1) ?? "")) return true;
  return parts.some((part, index) =>
    WITHIN.has(part) && (index > 0 || parts.length > 1) || /^__\w+__$/.test(part)
  );
}
