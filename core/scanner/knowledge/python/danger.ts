import type { RuleCode } from "../../contract/rules.ts";

/** What a name of Python makes possible, with the reason that a report gives. */
export const DANGERS = {
  code: "Runs Python code that the file brings along",
  shell: "Hands text to a shell",
  process: "Runs programs, or takes part in running them",
  system: "Reaches the operating system: programs, files and the environment",
  native: "Loads and calls machine code",
  memory: "Tells where objects are in memory, or reads and writes there",
  import: "Imports modules by name",
  deserialization: "Loads another file without the checks of this one",
  introspection: "Reaches or calls anything by its name",
  indirection: "Calls what it is given, or hides what is called",
  file: "Reads, writes or removes files",
  data: "Reads data from files, or fetches it",
  network: "Talks to the network",
  interpreter: "Changes or breaks the interpreter",
  concealment: "Hides text and code by encoding it",
  tampering: "Interferes with a scanner of models",
} as const;

/** A class of danger. */
export type Danger = keyof typeof DANGERS;

/**
 * How bad a reference is.
 *
 * - `forbidden`: critical, whether imported or called.
 * - `uncalled`: a warning in a pickle, since pickles of honest models import it; critical if a
 *   configuration has it called.
 * - `odd`: a warning.
 * - `ordinary`: harmless except for parts that have rows of their own. Only configurations of Keras,
 *   which refer to Keras and its dependencies alone, are refused over it.
 */
export type DangerLevel = "forbidden" | "uncalled" | "odd" | "ordinary";

/**
 * Where the last part of a path is recognized without the parts before it.
 *
 * - `code`: as an identifier in Python code.
 * - `variable`: of modules: as a variable of a template.
 * - `part`: of modules: as a part of another path, for `random._os` is `os`.
 * - `import`: of names: as the last part of any path.
 * - `method`: of names: as a method of any object in a template.
 */
export type Context = "code" | "variable" | "part" | "import" | "method";

export const CODE: readonly Context[] = ["code"];
export const VARIABLE: readonly Context[] = ["code", "variable"];
export const PART: readonly Context[] = ["code", "variable", "part"];
export const IMPORT: readonly Context[] = ["code", "import"];
export const METHOD: readonly Context[] = ["code", "import", "method"];

/** A row of the table of dangerous names. Words are separated by white space. */
export interface DangerousNames {
  readonly danger: Danger;
  /** If undefined, the rule is that of what refers to the name, such as the pickle's instruction. */
  readonly rule?: RuleCode;
  /** @default {"forbidden"} */
  readonly level?: DangerLevel;
  /** In Python 3's spelling; modules that Python 3 dropped, in Python 2's. */
  readonly modules: string;
  /** Names in each of the modules. If undefined, the row is about all that the modules hold. */
  readonly names?: string;
  /** @default {[]} */
  readonly alone?: readonly Context[];
  /**
   * Set for frameworks, whose functions reappear under many paths. The names then match in every module of
   * the framework: as the last part of a path (`name`), or as each of its parts (`part`).
   */
  readonly anywhere?: "name" | "part";
}

/** The module `os`, and the modules that it takes its functions from. */
export const OS = "os posix nt";

/** Packages that configurations of Keras refer to. */
export const FRAMEWORKS = "keras tf_keras keras_core keras_nlp keras_cv keras_hub tensorflow tf";
