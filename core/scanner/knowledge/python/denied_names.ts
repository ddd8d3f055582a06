import type { RuleCode } from "../../contract/rules.ts";

/** Paths that a model has no business with, each with all that lies in it. */
export interface NameGroup {
  readonly why: string;
  /** Left out, it is that of the instruction that imports. */
  readonly ruleCode?: RuleCode;
  /** Modules, or modules with names, in Python 3's spelling and Python 2's where that has no other. */
  readonly paths: string;
}

const RUNS_CODE = "Runs Python code that the pickle brings along";
const RUNS_PROGRAMS = "Runs programs or takes part in running them";
const TOUCHES_FILES = "Reads, writes or removes files";
const TALKS = "Talks to the network";
const IMPORTS = "Imports modules by name";
const REACHES = "Reaches or calls anything by its name";
const DESERIALISES = "Loads another pickle, past whoever has checked this one";
const INTERPRETER = "Changes or breaks the interpreter";
const TAMPERS = "Interferes with a scanner of models";

/** Importing one of these is critical, called or not. */
export const DENIED_GROUPS: readonly NameGroup[] = [
  { why: RUNS_CODE, ruleCode: "S104", paths: "builtins.eval builtins.exec builtins.execfile" },
  { why: RUNS_CODE, ruleCode: "S105", paths: "builtins.compile codeop py_compile compileall" },
  { why: RUNS_CODE, ruleCode: "S108", paths: "runpy" },
  {
    why: RUNS_CODE,
    ruleCode: "S115",
    paths: "builtins.breakpoint builtins.input builtins.raw_input builtins.exit builtins.quit",
  },
  {
    why: RUNS_CODE,
    paths: `
      code timeit trace pdb bdb profile cProfile doctest pydoc idlelib lib2to3 _xxsubinterpreters
      _interpreters _testcapi _xxtestfuzz
      types.CodeType types.FunctionType types.MethodType types.LambdaType types.new_class
      typing._eval_type typing.get_type_hints typing.ForwardRef dataclasses._create_fn
      dataclasses.make_dataclass annotationlib inspect.get_annotations
      numpy.testing._private.utils.runstring numpy.testing.utils.runstring numpy.testing.runstring
      numpy.testing._private.utils.rundocs numpy.testing._private.utils.measure
      numpy.f2py numpy.distutils numpy.lib.utils.safe_eval numpy.core.function_base.eval
      numpy.ctypeslib numpy.lib._utils_impl.safe_eval
      torch.compile torch.fx.experimental.symbolic_shapes.ShapeEnv torch._dynamo
      torch.utils.bottleneck torch.jit.unsupported_tensor_ops torch.jit.frontend
      torch.utils.cpp_extension torch._inductor torch.ops.load_library torch.classes.load_library
      torch.fx.graph_module torch.package torch.testing._internal
      collections.eval collections.exec cloudpickle
      sympy.parsing sympy.sympify sympy.core.sympify pandas.eval pandas.core.computation numexpr
      jinja2 mako tensorflow.py_function tensorflow.numpy_function tensorflow.raw_ops
      keras.layers.Lambda keras.src.layers.core.lambda_layer
      test.support.script_helper cffi cython Cython pyximport IPython
    `,
  },
  {
    why: RUNS_PROGRAMS,
    ruleCode: "S101",
    paths: "os posix nt",
  },
  {
    why: RUNS_PROGRAMS,
    ruleCode: "S103",
    paths: "subprocess _posixsubprocess commands pty popen2 pexpect _winapi winreg _winreg",
  },
  { why: RUNS_PROGRAMS, ruleCode: "S109", paths: "webbrowser antigravity" },
  {
    why: RUNS_PROGRAMS,
    paths: `
      multiprocessing _multiprocessing asyncio _asyncio signal threading _thread pipes
      torch.multiprocessing concurrent.futures torch.utils.collect_env torch.distributed.launch
      torch.distributed.run torch.distributed.elastic
      uuid._popen uuid._get_command_stdout uuid.getnode uuid._ifconfig_getter uuid._ip_getter
      uuid._arp_getter uuid._lanscan_getter uuid._netstat_getter uuid._ipconfig_getter
      uuid._find_mac uuid._find_mac_near_keyword uuid._find_mac_under_heading
      _osx_support _aix_support _pyrepl imaplib.IMAP4_stream mailcap setuptools
      test.support _tkinter tkinter turtle atexit weakref.finalize sched ctypes.util
      platform._syscmd_ver platform.popen platform._syscmd_file invoke fabric paramiko sh plumbum
    `,
  },
  { why: TOUCHES_FILES, ruleCode: "S401", paths: "builtins.open builtins.file io.open _io.open" },
  { why: TOUCHES_FILES, ruleCode: "S403", paths: "shutil" },
  {
    why: TOUCHES_FILES,
    ruleCode: "S402",
    paths: `
      pathlib.Path.open pathlib.Path.write_text pathlib.Path.write_bytes pathlib.Path.unlink
      pathlib.Path.touch pathlib.Path.rename pathlib.Path.replace pathlib.Path.rmdir
      pathlib.Path.chmod pathlib.Path.mkdir pathlib.Path.symlink_to pathlib.Path.hardlink_to
      pathlib.Path.read_text pathlib.Path.read_bytes pathlib.Path.glob pathlib.Path.rglob
      pathlib.PosixPath.open pathlib.PosixPath.write_text pathlib.PosixPath.write_bytes
      pathlib.PosixPath.unlink pathlib.PosixPath.touch pathlib.PosixPath.rename
      pathlib.PosixPath.read_text pathlib.PosixPath.read_bytes
      pathlib.WindowsPath.open pathlib.WindowsPath.write_text pathlib.WindowsPath.write_bytes
      pathlib.WindowsPath.unlink pathlib.WindowsPath.touch pathlib.WindowsPath.rename
    `,
  },
  {
    why: TOUCHES_FILES,
    ruleCode: "S404",
    paths: `
      tempfile.NamedTemporaryFile tempfile.TemporaryFile tempfile.SpooledTemporaryFile
      tempfile.mkstemp tempfile.mkdtemp tempfile.TemporaryDirectory
    `,
  },
  {
    why: TOUCHES_FILES,
    paths: `
      fileinput filecmp shelve sqlite3 _sqlite3 mmap distutils tarfile zipfile ntpath posixpath
      io.FileIO _io.FileIO io.TextIOWrapper.write _io.TextIOWrapper.write io.open_code _io.open_code
      _pyio codecs.open gzip.open bz2.open lzma.open dbm
      logging.FileHandler logging.handlers logging.basicConfig
      numpy.savetxt numpy.save numpy.savez numpy.savez_compressed numpy.memmap numpy.fromfile
      numpy.genfromtxt numpy.loadtxt numpy.ndarray.tofile numpy.ndarray.dump numpy.core.memmap
      csv.DictWriter dotenv site.addpackage site.addsitedir site.main site.execsitecustomize
      torch.save torch.from_file torch.UntypedStorage.from_file cgitb
    `,
  },
  { why: TALKS, ruleCode: "S301", paths: "socket _socket ssl _ssl socketserver select selectors" },
  {
    why: TALKS,
    ruleCode: "S302",
    paths: "requests urllib urllib2 urllib3 aiohttp httpx pycurl wget boto3 botocore",
  },
  { why: TALKS, ruleCode: "S303", paths: "http httplib xmlrpc xmlrpclib" },
  { why: TALKS, ruleCode: "S304", paths: "ftplib" },
  { why: TALKS, ruleCode: "S305", paths: "telnetlib" },
  { why: TALKS, ruleCode: "S306", paths: "smtplib smtpd" },
  {
    why: TALKS,
    paths: `
      poplib imaplib nntplib asyncore asynchat wsgiref torch.hub torch.utils.model_zoo
      huggingface_hub.hf_hub_download huggingface_hub.snapshot_download
      pandas.read_csv pandas.io.parsers pandas.read_json pandas.read_html pandas.read_sql
      tensorflow.keras.utils.get_file keras.utils.get_file
    `,
  },
  { why: IMPORTS, ruleCode: "S106", paths: "builtins.__import__ builtins.reload" },
  { why: IMPORTS, ruleCode: "S107", paths: "importlib _frozen_importlib _imp imp zipimport" },
  {
    why: IMPORTS,
    paths: `
      pip ensurepip venv _frozen_importlib_external pkg_resources modulefinder
      pkgutil.resolve_name pkgutil.get_importer pkgutil.walk_packages pkgutil.get_loader
      pkgutil.find_loader pkgutil.get_data pkgutil.extend_path
      copyreg.add_extension copyreg.remove_extension copyreg.pickle copyreg._extension_registry
      copyreg._inverted_registry copyreg._extension_cache copyreg.dispatch_table
      unittest yaml ruamel.yaml hydra.utils._locate hydra.utils.instantiate
      torch._utils_internal transformers.dynamic_module_utils transformers.utils.import_utils
    `,
  },
  {
    why: REACHES,
    ruleCode: "S115",
    paths: `
      builtins.getattr builtins.setattr builtins.delattr builtins.hasattr builtins.vars
      builtins.globals builtins.locals builtins.dir builtins.map builtins.filter builtins.property
      builtins.staticmethod builtins.classmethod builtins.super builtins.help
      builtins.license builtins.credits builtins.copyright
    `,
  },
  {
    why: REACHES,
    paths: `
      _operator operator.attrgetter operator.itemgetter operator.methodcaller operator.call
      operator.setitem operator.delitem operator.iconcat
      functools.reduce functools.cache functools.lru_cache functools.cmp_to_key
      functools.singledispatch functools.singledispatchmethod functools.cached_property
      functools.partialmethod.__get__ functools.update_wrapper functools.wraps
      functools._lru_cache_wrapper _functools
      itertools.starmap itertools.accumulate itertools.takewhile itertools.dropwhile
      itertools.filterfalse itertools.groupby
      inspect.getmembers inspect.currentframe inspect.getattr_static inspect.stack inspect.getmodule
      inspect.unwrap string.Formatter contextlib contextvars logging.Filterer logging.Logger
      gc types.MethodDescriptorType types.WrapperDescriptorType types.GetSetDescriptorType
      types.MemberDescriptorType types.ClassMethodDescriptorType types.MethodWrapperType
      types.DynamicClassAttribute types.coroutine types.prepare_class types.resolve_bases
      types.BuiltinFunctionType types.ModuleType types.FrameType types.TracebackType
      _collections_abc.__dict__ jax.tree_util.Partial toolz cytoolz
    `,
  },
  {
    why: DESERIALISES,
    ruleCode: "S213",
    paths: `
      pickle _pickle cPickle pickletools marshal dill._dill dill.load dill.loads dill.load_module
      dill.load_session dill.session dill.source dill.temp joblib.load joblib.numpy_pickle.load
      joblib.numpy_pickle.NumpyUnpickler joblib.numpy_pickle._unpickle joblib.externals.loky
      joblib.externals.cloudpickle numpy.load numpy.lib.npyio.load
      numpy.lib.npyio.NpzFile numpy.lib.format.read_array numpy.core.multiarray.load
      torch.load torch.serialization.load torch.serialization._load torch.serialization._legacy_load
      torch.storage._load_from_bytes torch.jit.load torch.jit.jit_module_from_flatbuffer
      torch.package.PackageImporter torch.export.load torch.distributed.rpc
      torch.distributed._shard.checkpoint torch.distributed.checkpoint.filesystem
      torch.distributed.nn.api.remote_module torch.distributed.nn.RemoteModule
      torch.utils._config_module torch.utils.data.datapipes.utils.decoder
      torch.ao.quantization.utils.torch_load pandas.read_pickle pandas.io.pickle
      pandas.compat.pickle_compat pandas.read_hdf plistlib jsonpickle hickle srsly
      logging.config sklearn.externals.joblib.load xmlrpc.client.loads
    `,
  },
  { why: INTERPRETER, ruleCode: "S102", paths: "sys" },
  { why: INTERPRETER, ruleCode: "S110", paths: "ctypes _ctypes" },
  {
    why: INTERPRETER,
    paths: `
      _signal syslog faulthandler resource.setrlimit resource.prlimit tracemalloc
      _posixshmem readline rlcompleter curses msvcrt fcntl termios tty
    `,
  },
  {
    why: TAMPERS,
    paths: "fickling picklescan modelscan model_unpickler saferpickle modelaudit",
  },
];

/** Importing one of these is odd in a model, and no proof of harm. */
export const SUSPICIOUS_GROUPS: readonly NameGroup[] = [
  { why: "Hides what is called", paths: "functools.partial functools.partialmethod" },
  { why: TOUCHES_FILES, paths: "glob linecache difflib site" },
  { why: TOUCHES_FILES, ruleCode: "S404", paths: "tempfile" },
  { why: "Hides texts and code by encoding", ruleCode: "S601", paths: "base64 binascii" },
  {
    why: "Hides texts and code by encoding",
    ruleCode: "S610",
    paths: "codecs _codecs.decode _codecs.lookup encodings zlib bz2 lzma gzip",
  },
  { why: REACHES, paths: "inspect operator platform pkgutil builtins.type" },
];
