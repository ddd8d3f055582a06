/** What a rule code stands for. */
export interface Rule {
  readonly title: string;
  /** Why it is a danger. */
  readonly why: string;
  /** What a person is to do about it. */
  readonly advice: string;
}

const NEVER_LOAD =
  "Do not load this file; take the weights as safetensors from a source you trust.";
const REVIEW = "Find out what it is for before loading the file, and load weights only.";
const READ_CODE = "Read the code before you run it, or take a model that needs none.";
const REMOVE = "Remove it from the model: weights need no program.";
const REVOKE = "Revoke the secret, then publish the file without it.";
const UNPACK_SAFELY = "Do not unpack this archive; ask its author for one without such entries.";
const DECODE = "Decode the text and look at what it hides before you use the file.";
const FETCH_AGAIN = "Fetch the file again and compare its hash with the one its author publishes.";
const CHECK_ADDRESS = "Make sure that you know the address and that nothing is sent to it.";
const READ_LICENSE = "Read the licence before you use or pass on the model.";

/** Rules of findings by code, those of the ModelAudit registry (C 16). */
export const RULES = {
  S101: { title: "os", why: "It can run programs and change files.", advice: NEVER_LOAD },
  S102: { title: "sys", why: "It reaches the state of the interpreter.", advice: NEVER_LOAD },
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
    why: "Builtins that look up or change attributes lead to any function.",
    advice: NEVER_LOAD,
  },
  S201: { title: "REDUCE", why: "It calls a function on loading.", advice: NEVER_LOAD },
  S202: { title: "INST", why: "It imports a class and calls it on loading.", advice: NEVER_LOAD },
  S203: { title: "OBJ", why: "It calls a class on loading.", advice: NEVER_LOAD },
  S204: { title: "NEWOBJ", why: "It makes an object of any class on loading.", advice: REVIEW },
  S205: {
    title: "STACK_GLOBAL",
    why: "It imports a name that is put together on loading.",
    advice: NEVER_LOAD,
  },
  S206: { title: "GLOBAL", why: "It imports a name on loading.", advice: REVIEW },
  S207: { title: "BUILD", why: "It sets the state of an object by its own code.", advice: REVIEW },
  S208: { title: "SETATTR", why: "It replaces attributes of objects.", advice: REVIEW },
  S209: { title: "SETITEM", why: "It writes into an object that may run code.", advice: REVIEW },
  S210: { title: "SETITEMS", why: "It writes into an object that may run code.", advice: REVIEW },
  S211: {
    title: "EXT",
    why: "It imports by a number whose meaning lies outside the file.",
    advice: NEVER_LOAD,
  },
  S212: { title: "Persistent id", why: "The loader's code decides what it does.", advice: REVIEW },
  S213: {
    title: "Nested pickle",
    why: "A pickle within data escapes a look at the outer one, and runs when it is loaded.",
    advice: NEVER_LOAD,
  },
  S301: { title: "socket", why: "It opens network connections.", advice: NEVER_LOAD },
  S302: { title: "requests, urllib", why: "It fetches and sends over HTTP.", advice: NEVER_LOAD },
  S303: { title: "http.client", why: "It fetches and sends over HTTP.", advice: NEVER_LOAD },
  S304: { title: "FTP", why: "It moves files to and from other hosts.", advice: NEVER_LOAD },
  S305: { title: "Telnet", why: "It opens a remote session.", advice: NEVER_LOAD },
  S306: { title: "SMTP", why: "It sends mail, with whatever it has read.", advice: NEVER_LOAD },
  S307: { title: "DNS", why: "Look-ups of names can carry data away.", advice: CHECK_ADDRESS },
  S308: { title: "IP address", why: "It names a host to be contacted.", advice: CHECK_ADDRESS },
  S309: { title: "URL", why: "It names an address to be contacted.", advice: CHECK_ADDRESS },
  S310: { title: "Exfiltration", why: "It sends data to another host.", advice: NEVER_LOAD },
  S401: { title: "Opens files", why: "It reads or overwrites files.", advice: NEVER_LOAD },
  S402: { title: "pathlib write", why: "It writes files.", advice: NEVER_LOAD },
  S403: { title: "shutil", why: "It copies and deletes whole directories.", advice: NEVER_LOAD },
  S404: { title: "tempfile", why: "It writes files where programs look for them.", advice: REVIEW },
  S405: {
    title: "Path traversal",
    why: "The path leads out of the directory that it belongs to.",
    advice: UNPACK_SAFELY,
  },
  S406: {
    title: "Symbolic link",
    why: "Following the link reads or writes elsewhere.",
    advice: UNPACK_SAFELY,
  },
  S408: { title: "System file", why: "It names a file of the system.", advice: UNPACK_SAFELY },
  S410: {
    title: "Archive bomb",
    why: "Unpacking it takes far more memory or time than its size tells.",
    advice: UNPACK_SAFELY,
  },
  S501: { title: "PE executable", why: "It is a program for Windows.", advice: REMOVE },
  S502: { title: "ELF executable", why: "It is a program for Linux.", advice: REMOVE },
  S503: { title: "Mach-O executable", why: "It is a program for macOS.", advice: REMOVE },
  S504: { title: "Shell script", why: "It is a program for a shell.", advice: REMOVE },
  S505: { title: "Batch script", why: "It is a program for a command prompt.", advice: REMOVE },
  S506: { title: "PowerShell script", why: "It is a program for PowerShell.", advice: REMOVE },
  S507: { title: "Python code", why: "Loading the model can run it.", advice: READ_CODE },
  S508: {
    title: "JavaScript code",
    why: "Showing or loading the model can run it.",
    advice: READ_CODE,
  },
  S509: { title: "WebAssembly", why: "It is a program.", advice: REMOVE },
  S510: { title: "TorchScript code", why: "Loading the model can run it.", advice: READ_CODE },
  S601: { title: "Base64", why: "Encoded text hides what it says.", advice: DECODE },
  S602: { title: "Hexadecimal", why: "Encoded text hides what it says.", advice: DECODE },
  S603: { title: "zlib", why: "Packed data hides what it holds.", advice: DECODE },
  S604: { title: "Encrypted", why: "Nobody without the key sees what it holds.", advice: REVIEW },
  S605: { title: "Unicode escapes", why: "Escapes hide what a text says.", advice: DECODE },
  S606: { title: "ROT13", why: "Encoded text hides what it says.", advice: DECODE },
  S607: { title: "XOR", why: "Masked data hides what it holds.", advice: DECODE },
  S609: { title: "URL encoding", why: "Encoded text hides what it says.", advice: DECODE },
  S610: { title: "Custom encoding", why: "Encoded text hides what it says.", advice: DECODE },
  S701: { title: "API key", why: "Whoever has the file can use the key.", advice: REVOKE },
  S702: { title: "Password", why: "Whoever has the file has the password.", advice: REVOKE },
  S703: { title: "Private key", why: "Whoever has the file can act as its owner.", advice: REVOKE },
  S704: { title: "AWS key", why: "Whoever has the file can use the account.", advice: REVOKE },
  S705: {
    title: "Cloud credential",
    why: "Whoever has the file can use the account.",
    advice: REVOKE,
  },
  S706: {
    title: "Database URL",
    why: "Whoever has the file can reach the database.",
    advice: REVOKE,
  },
  S707: { title: "JWT", why: "Whoever has the file can act as its bearer.", advice: REVOKE },
  S708: {
    title: "OAuth token",
    why: "Whoever has the file can act as its bearer.",
    advice: REVOKE,
  },
  S709: { title: "Webhook", why: "Whoever has the file can post to it.", advice: REVOKE },
  S710: { title: "High entropy", why: "It may be a secret or hidden data.", advice: REVIEW },
  S804: {
    title: "Tensor dimensions",
    why: "Dimensions that do not fit the data make a loader read or write where it must not.",
    advice: FETCH_AGAIN,
  },
  S810: { title: "Layer with code", why: "The layer runs code of its own.", advice: READ_CODE },
  S901: {
    title: "Type mismatch",
    why:
      "The content is of another kind than its name says, and gets past checks that go by names.",
    advice: "Do not load the file, unless its author explains the name.",
  },
  S902: {
    title: "Corrupt structure",
    why: "Programs read broken files differently, so that one runs what another does not see.",
    advice: FETCH_AGAIN,
  },
  S903: {
    title: "Wrong signature",
    why: "It is not the format that it is read as.",
    advice: FETCH_AGAIN,
  },
  S904: {
    title: "Wrong size",
    why: "Data is missing, or more is there than there should be.",
    advice: FETCH_AGAIN,
  },
  S905: {
    title: "Suspicious metadata",
    why: "Programs that trust it can be misled.",
    advice: REVIEW,
  },
  S908: {
    title: "Polyglot",
    why: "It is several formats at once, and each program sees another one.",
    advice: NEVER_LOAD,
  },
  S999: {
    title: "Unknown opcode",
    why: "What follows the instruction can't be followed.",
    advice: NEVER_LOAD,
  },
  S1001: {
    title: "Blacklisted name",
    why: "The model is known to be harmful.",
    advice: NEVER_LOAD,
  },
  S1002: {
    title: "Weak hash",
    why: "Other content with the same hash can be made.",
    advice: "Compare a SHA-256 instead.",
  },
  S1003: {
    title: "Typosquatting",
    why: "The name is made to be mistaken for a known one.",
    advice: "Check who publishes the model before you use it.",
  },
  S1005: {
    title: "Signature",
    why: "The signature does not vouch for the content.",
    advice: FETCH_AGAIN,
  },
  S1008: {
    title: "Licence",
    why: "The licence may bind those who use the model.",
    advice: READ_LICENSE,
  },
  S1009: {
    title: "Licence of a dataset",
    why: "Without a licence, using the data may not be permitted.",
    advice: READ_LICENSE,
  },
  S1101: { title: "PyTorch", why: "Loading the file can run code.", advice: NEVER_LOAD },
  S1102: {
    title: "SavedModel",
    why: "The graph has operations that touch files or run code.",
    advice: REVIEW,
  },
  S1103: {
    title: "Keras Lambda",
    why: "The layer holds Python code that runs when the model is loaded or used.",
    advice: READ_CODE,
  },
  S1104: {
    title: "ONNX",
    why: "The model makes its loader read files or run code outside of it.",
    advice: REVIEW,
  },
  S1105: { title: "JAX", why: "Restoring the model can run code.", advice: REVIEW },
  S1110: { title: "GGUF", why: "Loaders in C trust what its header says.", advice: FETCH_AGAIN },
} as const satisfies Record<string, Rule>;

export type RuleCode = keyof typeof RULES;

/** The rule of a code, also of one that comes from a report of somebody else. */
export function ruleOf(code: string | null | undefined): Rule | undefined {
  const rules: Readonly<Record<string, Rule>> = RULES;
  return code && Object.hasOwn(rules, code) ? rules[code] : undefined;
}
