/** The meaning of a rule code. */
export interface Rule {
  readonly title: string;
  /** Why it is dangerous. */
  readonly why: string;
  /** What to do about it. */
  readonly advice: string;
}

const NEVER_LOAD =
  "Do not load this file: take it from a source you trust, and weights as safetensors.";
const REVIEW = "Find out what it is for before you load the file, and load weights only.";
const READ_CODE = "Read the code before you run it, or use a model that needs none.";
const REMOVE = "Remove it from the model: weights do not need a program.";
const REVOKE = "Revoke the secret, then publish the file without it.";
const UNPACK_SAFELY = "Do not unpack this archive; ask its author for one without such entries.";
const DECODE = "Decode it and inspect the result before you use the file.";
const FETCH_AGAIN =
  "Fetch the file again and compare its hash with the one that its author publishes.";
const CHECK_ADDRESS = "Make sure that you know the address and that no data is sent to it.";
const READ_LICENSE = "Read the license before you use or redistribute the model.";

/** The rules of findings by code, as in the ModelAudit registry (C 16). */
export const RULES = {
  S101: { title: "os", why: "It can run programs and change files.", advice: NEVER_LOAD },
  S102: { title: "sys", why: "It accesses the state of the interpreter.", advice: NEVER_LOAD },
  S103: { title: "subprocess", why: "It runs programs.", advice: NEVER_LOAD },
  S104: { title: "eval, exec", why: "It runs any code given as text.", advice: NEVER_LOAD },
  S105: { title: "compile", why: "It turns text into code that can run.", advice: NEVER_LOAD },
  S106: { title: "__import__", why: "It imports any module by name.", advice: NEVER_LOAD },
  S107: { title: "importlib", why: "It imports any module by name.", advice: NEVER_LOAD },
  S108: { title: "runpy", why: "It runs modules and files as programs.", advice: NEVER_LOAD },
  S109: { title: "webbrowser", why: "It opens addresses in a browser.", advice: NEVER_LOAD },
  S110: { title: "ctypes", why: "It calls machine code directly.", advice: NEVER_LOAD },
  S115: {
    title: "Other builtins",
    why: "Builtins that look up or change attributes can reach any function.",
    advice: NEVER_LOAD,
  },
  S201: { title: "REDUCE", why: "It calls a function on load.", advice: NEVER_LOAD },
  S202: { title: "INST", why: "It imports a class and calls it on load.", advice: NEVER_LOAD },
  S203: { title: "OBJ", why: "It calls a class on load.", advice: NEVER_LOAD },
  S204: { title: "NEWOBJ", why: "It creates an object of any class on load.", advice: REVIEW },
  S205: {
    title: "STACK_GLOBAL",
    why: "It imports a name that is assembled on load.",
    advice: NEVER_LOAD,
  },
  S206: { title: "GLOBAL", why: "It imports a name on load.", advice: REVIEW },
  S207: {
    title: "BUILD",
    why: "It sets the state of an object with that object's own code.",
    advice: REVIEW,
  },
  S208: { title: "SETATTR", why: "It replaces attributes of objects.", advice: REVIEW },
  S209: { title: "SETITEM", why: "It writes to an object that may run code.", advice: REVIEW },
  S210: { title: "SETITEMS", why: "It writes to an object that may run code.", advice: REVIEW },
  S211: {
    title: "EXT",
    why: "It imports by a number that is defined outside the file.",
    advice: NEVER_LOAD,
  },
  S212: {
    title: "Persistent id",
    why: "Its effect depends on the code of the loader.",
    advice: REVIEW,
  },
  S213: {
    title: "Nested pickle",
    why: "A pickle embedded in data is not visible in the outer one, and runs when it is loaded.",
    advice: NEVER_LOAD,
  },
  S214: {
    title: "Pickle expansion",
    why: "A small pickle takes all memory or time of the process that loads it.",
    advice: NEVER_LOAD,
  },
  S301: { title: "socket", why: "It opens network connections.", advice: NEVER_LOAD },
  S302: { title: "requests, urllib", why: "It fetches and sends over HTTP.", advice: NEVER_LOAD },
  S303: { title: "http.client", why: "It fetches and sends over HTTP.", advice: NEVER_LOAD },
  S304: { title: "FTP", why: "It transfers files to and from other hosts.", advice: NEVER_LOAD },
  S305: { title: "Telnet", why: "It opens a remote session.", advice: NEVER_LOAD },
  S306: { title: "SMTP", why: "It sends mail, which can carry data away.", advice: NEVER_LOAD },
  S307: { title: "DNS", why: "DNS queries can carry data away.", advice: CHECK_ADDRESS },
  S308: {
    title: "IP address",
    why: "It names a host that may be contacted.",
    advice: CHECK_ADDRESS,
  },
  S309: { title: "URL", why: "It names an address that may be contacted.", advice: CHECK_ADDRESS },
  S310: { title: "Exfiltration", why: "It sends data to another host.", advice: NEVER_LOAD },
  S401: { title: "Opens files", why: "It reads or overwrites files.", advice: NEVER_LOAD },
  S402: { title: "pathlib write", why: "It writes files.", advice: NEVER_LOAD },
  S403: { title: "shutil", why: "It copies and deletes entire directories.", advice: NEVER_LOAD },
  S404: {
    title: "tempfile",
    why: "It writes files to a directory that other programs read.",
    advice: REVIEW,
  },
  S405: {
    title: "Path traversal",
    why: "The path escapes the directory that it belongs to.",
    advice: UNPACK_SAFELY,
  },
  S406: {
    title: "Symbolic link",
    why: "Following the link reads or writes outside the archive.",
    advice: UNPACK_SAFELY,
  },
  S408: {
    title: "System file",
    why: "It names a file of the operating system.",
    advice: UNPACK_SAFELY,
  },
  S410: {
    title: "Archive bomb",
    why: "Unpacking it takes far more memory or time than its size suggests.",
    advice: UNPACK_SAFELY,
  },
  S501: { title: "PE executable", why: "It is a program for Windows.", advice: REMOVE },
  S502: { title: "ELF executable", why: "It is a program for Linux.", advice: REMOVE },
  S503: { title: "Mach-O executable", why: "It is a program for macOS.", advice: REMOVE },
  S504: { title: "Shell script", why: "It is a shell program.", advice: REMOVE },
  S505: { title: "Batch script", why: "It is a program for a command prompt.", advice: REMOVE },
  S506: { title: "PowerShell script", why: "It is a program for PowerShell.", advice: REMOVE },
  S507: { title: "Python code", why: "Loading the model can run it.", advice: READ_CODE },
  S508: {
    title: "JavaScript code",
    why: "Displaying or loading the model can run it.",
    advice: READ_CODE,
  },
  S509: { title: "WebAssembly", why: "It is a program.", advice: REMOVE },
  S510: { title: "TorchScript code", why: "Loading the model can run it.", advice: READ_CODE },
  S601: { title: "Base64", why: "Encoding hides the text.", advice: DECODE },
  S602: { title: "Hexadecimal", why: "Encoding hides the text.", advice: DECODE },
  S603: { title: "zlib", why: "Compression hides the data.", advice: DECODE },
  S604: {
    title: "Encrypted",
    why: "The content cannot be inspected without the key.",
    advice: REVIEW,
  },
  S605: { title: "Unicode escapes", why: "Escape sequences hide the text.", advice: DECODE },
  S606: { title: "ROT13", why: "Encoding hides the text.", advice: DECODE },
  S607: { title: "XOR", why: "Masking hides the data.", advice: DECODE },
  S609: { title: "URL encoding", why: "Encoding hides the text.", advice: DECODE },
  S610: { title: "Custom encoding", why: "Encoding hides the text.", advice: DECODE },
  S701: { title: "API key", why: "Anyone with the file can use the key.", advice: REVOKE },
  S702: { title: "Password", why: "Anyone with the file has the password.", advice: REVOKE },
  S703: {
    title: "Private key",
    why: "Anyone with the file can act as the owner of the key.",
    advice: REVOKE,
  },
  S704: { title: "AWS key", why: "Anyone with the file can use the account.", advice: REVOKE },
  S705: {
    title: "Cloud credential",
    why: "Anyone with the file can use the account.",
    advice: REVOKE,
  },
  S706: {
    title: "Database URL",
    why: "Anyone with the file can access the database.",
    advice: REVOKE,
  },
  S707: { title: "JWT", why: "Anyone with the file can act as its bearer.", advice: REVOKE },
  S708: {
    title: "OAuth token",
    why: "Anyone with the file can act as its bearer.",
    advice: REVOKE,
  },
  S709: { title: "Webhook", why: "Anyone with the file can post to it.", advice: REVOKE },
  S710: { title: "High entropy", why: "It may be a secret or hidden data.", advice: REVIEW },
  S804: {
    title: "Tensor dimensions",
    why: "Dimensions that do not match the data make a loader read or write out of bounds.",
    advice: FETCH_AGAIN,
  },
  S810: { title: "Layer with code", why: "The layer runs its own code.", advice: READ_CODE },
  S901: {
    title: "Type mismatch",
    why: "The content does not match its name, and so evades checks that rely on names.",
    advice: "Do not load the file unless its author explains the name.",
  },
  S902: {
    title: "Corrupt structure",
    why: "Programs parse corrupt files differently, so one may run what another does not see.",
    advice: FETCH_AGAIN,
  },
  S903: {
    title: "Wrong signature",
    why: "The content is not in the format that it is read as.",
    advice: FETCH_AGAIN,
  },
  S904: {
    title: "Wrong size",
    why: "Data is missing, or there is more than expected.",
    advice: FETCH_AGAIN,
  },
  S905: {
    title: "Suspicious metadata",
    why: "Programs that trust it can be misled.",
    advice: REVIEW,
  },
  S908: {
    title: "Polyglot",
    why: "It is valid in several formats at once, and programs disagree on which one it is.",
    advice: NEVER_LOAD,
  },
  S999: {
    title: "Unknown opcode",
    why: "The bytes after an unknown opcode cannot be interpreted.",
    advice: NEVER_LOAD,
  },
  S1001: {
    title: "Blacklisted name",
    why: "The model is known to be harmful.",
    advice: NEVER_LOAD,
  },
  S1002: {
    title: "Weak hash",
    why: "Different content with the same hash can be created.",
    advice: "Compare a SHA-256 instead.",
  },
  S1003: {
    title: "Typosquatting",
    why: "The name imitates a known one.",
    advice: "Check who publishes the model before you use it.",
  },
  S1005: {
    title: "Signature",
    why: "The signature does not vouch for the content.",
    advice: FETCH_AGAIN,
  },
  S1008: {
    title: "License",
    why: "The license may restrict the use of the model.",
    advice: READ_LICENSE,
  },
  S1009: {
    title: "Dataset license",
    why: "Without a license, using the data may not be permitted.",
    advice: READ_LICENSE,
  },
  S1101: { title: "PyTorch", why: "Loading the file can run code.", advice: NEVER_LOAD },
  S1102: {
    title: "SavedModel",
    why: "The graph has operations that access files or run code.",
    advice: REVIEW,
  },
  S1103: {
    title: "Keras Lambda",
    why: "The layer contains Python code that runs when the model is loaded or used.",
    advice: READ_CODE,
  },
  S1104: {
    title: "ONNX",
    why: "The model makes its loader read external files or run external code.",
    advice: REVIEW,
  },
  S1105: { title: "JAX", why: "Restoring the model can run code.", advice: REVIEW },
  S1110: { title: "GGUF", why: "Loaders written in C trust its header.", advice: FETCH_AGAIN },
  S1111: {
    title: "ONNX custom operator",
    why: "The model needs an implementation of the operator that it does not contain.",
    advice: REVIEW,
  },
} as const satisfies Record<string, Rule>;

export type RuleCode = keyof typeof RULES;

/** Rules whose advice depends on how the format is loaded. */
const ABOUT_LOADING: ReadonlySet<string> = new Set([NEVER_LOAD, REVIEW, READ_CODE]);
/** Groups of rules about what runs. Odd structure, encodings and secrets mean the same in any format. */
const GROUPS_OF_LOADERS = /^S(1|2|3|4|5|8|11)\d\d$/;

/** Whether a rule is about code that the loader of a file could run. */
export function isAboutLoading(code: string | null | undefined): boolean {
  return GROUPS_OF_LOADERS.test(code ?? "") && ABOUT_LOADING.has(ruleOf(code)?.advice ?? "");
}

/** Whether a value is the code of a rule. */
export function isRuleCode(value: unknown): value is RuleCode {
  return typeof value === "string" && Object.hasOwn(RULES, value);
}

/** Returns the rule of a code, or undefined if it is unknown, as it may be in a report of another tool. */
export function ruleOf(code: string | null | undefined): Rule | undefined {
  const rules: Readonly<Record<string, Rule>> = RULES;
  return code && Object.hasOwn(rules, code) ? rules[code] : undefined;
}
