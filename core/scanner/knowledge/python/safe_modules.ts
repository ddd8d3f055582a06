import { MODULE_RENAMES } from "./python2_names.ts";
import { ALLOWED_MODULES } from "./allowed_names.ts";

/**
 * Modules of the standard library that do nothing when they are imported but define names. `__main__` is
 * there: it is the program that loads the file.
 */
const STANDARD: ReadonlySet<string> = new Set(
  `
  __builtins__ __future__ __main__ abc aifc argparse array ast base64 binascii bisect builtins
  calendar chunk cmath codecs collections colorsys configparser contextlib contextvars copy
  copyreg csv dataclasses datetime decimal difflib dis enum errno fnmatch fractions functools
  genericpath getopt gettext glob graphlib hashlib heapq hmac html io ipaddress itertools json
  keyword linecache locale logging math mimetypes numbers opcode operator optparse os.path ntpath
  pathlib platform posixpath pprint queue quopri random re reprlib sched secrets select selectors
  shlex sndhdr stat statistics string stringprep struct symtable tempfile textwrap token tokenize
  tomllib traceback types typing unicodedata uuid warnings wave weakref xml zlib zoneinfo _codecs
  _collections _functools _io _operator _random _struct _weakref
  `.trim().split(/\s+/),
);

/** Roots of the packages that the allowed names are in. A file of any project is called `models`. */
const PACKAGES: ReadonlySet<string> = new Set(
  [...ALLOWED_MODULES].map(rootOf).filter((root) => root !== "models"),
);

/** Parts of packages that do more than define names: programs, tests, scripts. */
const PROGRAM =
  /^(?:__.*|_*tests?|_*testing|conftest|setup|scripts?|examples?|benchmarks?|demos?)$/;

/** Whether the import of a module is known to do nothing but define names. */
export function isSafeToImport(given: string): boolean {
  const module = MODULE_RENAMES.get(given.trim()) ?? given.trim();
  const parts = module.split(".");
  const root = rootOf(module);
  if (STANDARD.has(module) || ALLOWED_MODULES.has(module)) return true;
  if (parts.slice(1).some((part) => PROGRAM.test(part))) return false;
  return PACKAGES.has(root) || STANDARD.has(root);
}

function rootOf(module: string): string {
  const [root = ""] = module.split(".", 1);
  return root;
}
