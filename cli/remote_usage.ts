import type { Usage } from "./usage_type.ts";

const TRANSFER_OPTIONS =
  `  --exclude GLOB         Leave out paths: *.tmp, logs/**. May be given several times
  --dry-run              Print what would be done, and do nothing
  --tree ID              Use the tree of this user, as the credential permits
  --json                 Print the outcome as JSON`;

const CONFLICT_OPTION =
  `  --on-conflict ACTION   What to do about files that are there with other content: error (default) copies
                         nothing at all, skip keeps them, replace replaces them
  --name NAME            Another name for the one source`;

/** The commands that use a server by its API (C 25). */
export const REMOTE_USAGES = {
  login: {
    summary: "Keep the URL of a server and a credential for it",
    forms: ["login URL"],
    details:
      `Reads the credential from stdin, or without echo from the terminal, asks the server whether it accepts
it, and keeps both in $XDG_CONFIG_HOME/strongroom/login or ~/.config/strongroom/login, which nobody else
can read. STRONGROOM_URL and STRONGROOM_TOKEN take precedence.`,
    examples: [
      "strongroom login https://files.example",
      "strongroom token --user 1 --admin | strongroom login http://127.0.0.1:8080",
    ],
  },
  logout: {
    summary: "Remove what strongroom login kept",
    forms: ["logout"],
    examples: ["strongroom logout"],
  },
  put: {
    summary: "Send files and directories to a server",
    forms: ["put [OPTIONS] LOCAL… REMOTE", "put --name NAME - REMOTE"],
    details:
      `Each source gets its name in the directory REMOTE, which is made if it is missing; : is the root. Content
that the server has at the same path is not sent. The same command continues after an interruption. Links
to files are followed. The source - is stdin.

${CONFLICT_OPTION}
${TRANSFER_OPTIONS}`,
    examples: [
      "strongroom put llama/ models",
      "strongroom put --on-conflict replace config.json weights.safetensors models/llama",
      "tar -c logs | strongroom put --name logs.tar - archive",
    ],
    takesFiles: true,
  },
  get: {
    summary: "Receive files and directories from a server",
    forms: ["get [OPTIONS] REMOTE… LOCAL", "get REMOTE -"],
    details:
      `Each source gets its name in the directory LOCAL, which is made if it is missing. A file gets its name when
it is whole, with the SHA-256 that the server states. The same command continues after an interruption.
The target - is stdout, for one file.

${CONFLICT_OPTION}
${TRANSFER_OPTIONS}`,
    examples: [
      "strongroom get models/llama .",
      "strongroom get --tree 7 shared/weights.safetensors /srv/models",
      "strongroom get models/llama/config.json -",
    ],
    takesFiles: true,
  },
  sync: {
    summary: "Make a directory have what another one has, here or on a server",
    forms: ["sync [OPTIONS] LOCAL :REMOTE", "sync [OPTIONS] :REMOTE LOCAL"],
    details:
      `The directory of the server begins with a colon, which no path of a server has; a local name that begins
with one is written ./:name. What the target has with other content is replaced; what the source lacks is
kept, unless --delete says otherwise. If not all files can be listed, nothing is deleted.

  --delete               Delete from the target what the source lacks, but for what is excluded
  --allow-empty          Delete all of the target if the source is empty, which --delete refuses
${TRANSFER_OPTIONS}`,
    examples: [
      "strongroom sync models :models",
      "strongroom sync --delete --dry-run :models /srv/models",
    ],
    takesFiles: true,
  },
} satisfies Readonly<Record<string, Usage>>;
