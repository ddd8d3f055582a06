import type { RuleCode } from "../../contract/rules.ts";

/**
 * Modules of Python, by the first part of the name, that run code, start processes, touch files or the
 * network, import at will, or belong to scanners: no model has a reason to call anything of them.
 */
export const DANGEROUS_MODULES: ReadonlySet<string> = new Set(
  `
  os posix nt subprocess _posixsubprocess commands pty multiprocessing asyncio signal threading
  _thread pexpect code codeop runpy marshal timeit trace pdb bdb profile cProfile doctest pydoc
  idlelib lib2to3 compileall py_compile _xxsubinterpreters _interpreters imp pipes shutil
  fileinput filecmp shelve sqlite3 mmap distutils ntpath posixpath tarfile zipfile tempfile
  socket ssl http httplib urllib urllib2 requests aiohttp ftplib telnetlib smtplib poplib
  imaplib nntplib socketserver xmlrpc select selectors webbrowser importlib zipimport pip
  ensurepip venv _frozen_importlib _imp pkgutil copyreg site unittest __builtin__ __builtins__
  operator _operator inspect gc sys ctypes _ctypes _signal syslog faulthandler resource pickle
  _pickle cPickle dill cloudpickle joblib jsonpickle yaml codecs fickling picklescan modelscan
  modelaudit setuptools atexit sched linecache urllib3 httpx antigravity nose pytest
`.trim().split(/\s+/),
);

const RULES: Readonly<Record<string, RuleCode>> = {
  os: "S101",
  posix: "S101",
  nt: "S101",
  sys: "S102",
  subprocess: "S103",
  commands: "S103",
  pty: "S103",
  builtins: "S104",
  importlib: "S107",
  runpy: "S108",
  webbrowser: "S109",
  ctypes: "S110",
  pickle: "S213",
  marshal: "S213",
  socket: "S301",
  requests: "S302",
  urllib: "S302",
  shutil: "S403",
};

/** The rule against calling what a module has, by the first part of its name, if there is one. */
export function ruleOfModule(module: string): RuleCode | undefined {
  const [root = ""] = module.split(".", 1);
  return Object.hasOwn(RULES, root) ? RULES[root] : undefined;
}
