import type { Usage } from "./usage_type.ts";

const TRANSFER_OPTIONS =
  `  --include GLOB         Copy these paths only: *.safetensors, models/**. May be given several times
  --exclude GLOB         Leave out paths, also of those: *.tmp, logs/**. May be given several times
  --bwlimit SIZE         Transfer no more than this in a second, on average: 10MiB
  --dry-run              Print what would be done, and do nothing
  --server URL           Use this server; strongroom login list shows those that are known
  --tree NAME            Use the tree of this user, as the credential permits
  --json                 Print the outcome as JSON`;

const CONFLICT_OPTION =
  `  --on-conflict ACTION   What to do about files that are there with other content: error (default) copies
                         nothing at all, skip keeps them, replace replaces them
  --name NAME            Another name for the one source`;

const CONFLICT_VALUES = { "--on-conflict": ["error", "skip", "replace"] };

const AT_OPTION =
  `  --at VERSION           Copy what was there at a version, at a time such as 2026-11-22T09:00:00Z, or by a tag`;

/** The commands that use a server by its API (C 25). */
export const REMOTE_USAGES = {
  login: {
    summary: "Keep the URL of a server and a credential for it, for several servers if need be",
    forms: ["login [--hf] [--cacert FILE] URL", "login list", "login use URL"],
    details:
      `Without a credential on stdin, prints a link and a code, by which a person who signs in to the console
has the server make one, named after this machine. At a terminal with a display, it also opens the
link. If nobody can sign in to the server, it reads a credential from the terminal without echo. Asks the
server whether it accepts the credential, and keeps both in
$XDG_CONFIG_HOME/strongroom/login or ~/.config/strongroom/login, which nobody else can read. Commands use the
server of the last login; login use makes another one the default, and --server names one for a command.
STRONGROOM_URL and STRONGROOM_TOKEN take precedence over what is kept.
login list prints the servers, and until when their credentials are valid.

  --hf           Keep a short credential in its place, hf_ and 37 letters and digits, which the server mints
                 with it and which permits the same; print it, too, for clients of the hub that take no other
  --cacert FILE  Trust the authority with the certificate in FILE, as PEM. It is kept with the login.
                 Any other command that uses a server takes it, too`,
    examples: [
      "strongroom login https://files.example",
      "strongroom token --user 1 --admin --ttl 30d | strongroom login http://127.0.0.1:8080",
      "strongroom login use https://files.example",
      "strongroom login --cacert our-authority.pem https://files.internal",
    ],
  },
  logout: {
    summary: "Remove what strongroom login kept for a server",
    forms: ["logout [URL]", "logout --all"],
    details:
      `The URL can be left out if there is one login only. The credential itself stays valid: see
strongroom token revoke.

  --all  Remove all logins`,
    examples: ["strongroom logout", "strongroom logout https://files.example"],
  },
  put: {
    summary: "Send files and directories to a server",
    forms: ["put [OPTIONS] LOCAL… REMOTE", "put --name NAME - REMOTE"],
    details:
      `Each source gets its name in the directory REMOTE, which is made if it is missing; : is the root. A single
file gets the name REMOTE instead, unless that is a directory or ends with a slash. Content that the server
has at the same path is not sent. The same command continues after an interruption. Links to files are
followed. The source - is stdin. The server is asked for a place for a large file before the file is read.

${CONFLICT_OPTION}
${TRANSFER_OPTIONS}`,
    examples: [
      "strongroom put llama/ models",
      "strongroom put model.gguf models/renamed.gguf",
      "strongroom put --on-conflict replace config.json weights.safetensors models/llama",
      "strongroom put --include '*.safetensors' --bwlimit 10MiB llama/ models",
      "tar -c logs | strongroom put --name logs.tar - archive",
    ],
    takesFiles: true,
    remotePaths: "colon",
    values: CONFLICT_VALUES,
  },
  get: {
    summary: "Receive files and directories from a server",
    forms: ["get [OPTIONS] REMOTE… LOCAL", "get REMOTE -"],
    details:
      `Each source gets its name in the directory LOCAL, which is made if it is missing. A single file gets the
name LOCAL instead, unless that is a directory or ends with a slash. A file gets its name when it is whole,
with the SHA-256 that the server states. The same command continues after an interruption. The target - is
stdout, for one file.

${CONFLICT_OPTION}
${AT_OPTION}
${TRANSFER_OPTIONS}`,
    examples: [
      "strongroom get models/llama .",
      "strongroom get models/llama/config.json llama.json",
      "strongroom get --tree 7 shared/weights.safetensors /srv/models",
      "strongroom get models/llama/config.json -",
      "strongroom get --at v1.0 models/llama .",
    ],
    takesFiles: true,
    remotePaths: "all",
    values: CONFLICT_VALUES,
  },
  sync: {
    summary: "Make a directory have what another one has, here or on a server",
    forms: ["sync [OPTIONS] LOCAL :REMOTE", "sync [OPTIONS] :REMOTE LOCAL"],
    details:
      `The directory of the server begins with a colon, which no path of a server has; a local name that begins
with one is written ./:name. What the target has with other content is replaced; what the source lacks is
kept, unless --delete says otherwise. If not all files can be listed, nothing is deleted.

  --delete               Delete from the target what the source lacks, but for what is left out
  --max-delete N         Do nothing if more than N entries, or N% of the target, would be deleted
  --allow-empty          Delete all of the target if the source is empty, which --delete refuses
${AT_OPTION}
${TRANSFER_OPTIONS}`,
    examples: [
      "strongroom sync models :models",
      "strongroom sync --delete --dry-run :models /srv/models",
      "strongroom sync --delete --max-delete 10% models :models",
    ],
    takesFiles: true,
    remotePaths: "colon",
  },
} satisfies Readonly<Record<string, Usage>>;
