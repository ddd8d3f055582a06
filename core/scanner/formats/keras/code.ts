import { decodeLatin1, viewOf } from "../../readers/bytes/bytes.ts";
import { Buffer } from "node:buffer";
import { DANGEROUS_FUNCTIONS } from "../../knowledge/python/dangerous_functions.ts";

/** What a text in a config is that stands for a function. */
export interface CodeFacts {
  /** Whether it is code, rather than the name of a function. */
  readonly isCode: boolean;
  /** Names in it that run, load or fetch something, sorted. */
  readonly dangerousNames: readonly string[];
  /** Whether it is longer than what was looked at. */
  readonly isCut: boolean;
}

/** Characters that are looked at; a lambda has some hundreds. */
const MAX_CHARACTERS = 2 ** 21;

/**
 * Names that code has no harmless use for, besides those of functions: modules and functions alike, as
 * code names both, without the modules that are common names of variables.
 */
const MORE_DANGEROUS_NAMES: ReadonlySet<string> = new Set(
  `
  compile open popen2 popen3 spawnl spawnv spawnlp fork execv execve execvp startfile os posix
  sys pty subprocess commands shutil rmtree socket create_connection urllib urllib2 urlopen
  urlretrieve requests http httplib ftplib smtplib pickle _pickle cPickle dill cloudpickle
  marshal importlib runpy webbrowser ctypes builtins multiprocessing threading _thread asyncio
  codecs base64 binascii b64decode fromhex zlib codeop CodeType FunctionType tempfile pathlib
  write_text write_bytes py_function numpy_function py_func load_library load_op_library
  read_file write_file gfile load_model
`.trim().split(/\s+/),
);

/** A name with two underscores around it that leads from any object to everything else. */
const DANGEROUS_DUNDER =
  /^__(?:import|builtins|class|bases?|mro|subclasses|globals|dict|code|getattribute|reduce(?:_ex)?|loader|spec)__$/;

/** Looks into a text that stands for a function, as Keras stores it: marshalled code in Base64. */
export function inspectCode(text: string): CodeFacts {
  const shown = text.slice(0, MAX_CHARACTERS);
  const isCut = text.length > shown.length;
  const decoded = decodeBase64(shown);
  if (isMarshalled(decoded)) {
    return { isCode: true, dangerousNames: dangerous(marshalledNames(decoded)), isCut };
  }
  // A name alone calls nothing: it is looked up among the functions that Keras knows.
  if (/^[\w.>]*$/.test(shown)) return { isCode: false, dangerousNames: [], isCut };
  return { isCode: true, dangerousNames: dangerous(shown.match(/[A-Za-z_]\w*/g) ?? []), isCut };
}

/** Decodes as Python does, which passes over every character that is not of the alphabet. */
function decodeBase64(text: string): Uint8Array {
  return Buffer.from(text.replace(/[^A-Za-z0-9+/]/g, ""), "base64");
}

const FLAG_OF_REFERENCE = 0x80;
const TYPE_CODE = "c".charCodeAt(0);
const LEAST_BYTES_OF_CODE = 20;

function isMarshalled(bytes: Uint8Array): boolean {
  const [type = 0] = bytes;
  return (type & ~FLAG_OF_REFERENCE) === TYPE_CODE && bytes.length >= LEAST_BYTES_OF_CODE;
}

function dangerous(names: Iterable<string>): string[] {
  const found = [...names].filter((name) =>
    DANGEROUS_FUNCTIONS.has(name) || MORE_DANGEROUS_NAMES.has(name) || DANGEROUS_DUNDER.test(name)
  );
  return [...new Set(found)].sort();
}

const SHORT_STRINGS = new Set([..."zZ"].map((type) => type.charCodeAt(0)));
const LONG_STRINGS = new Set([..."aAutsN"].map((type) => type.charCodeAt(0)));
const LONGEST_NAME = 100;

/**
 * The names in marshalled code, and the texts in it that are names: strings of nothing but identifiers
 * and dots. Paths and sentences are none, so that the file name of a harmless function says nothing.
 */
function* marshalledNames(bytes: Uint8Array): Generator<string, void, void> {
  const view = viewOf(bytes);
  for (let position = 0; position + 2 < bytes.length; position++) {
    const type = view.getUint8(position) & ~FLAG_OF_REFERENCE;
    let start = position + 2;
    let length = 0;
    if (SHORT_STRINGS.has(type)) length = view.getUint8(position + 1);
    else if (LONG_STRINGS.has(type) && position + 5 < bytes.length) {
      length = view.getUint32(position + 1, true);
      start = position + 5;
    }
    if (length === 0 || length > LONGEST_NAME || start + length > bytes.length) continue;
    const text = decodeLatin1(bytes.subarray(start, start + length));
    if (/^[A-Za-z_][\w.]*$/.test(text)) yield* text.split(".");
  }
}
