import { PRIVILEGES } from "../schemas/credentials.ts";
import type { CommandName } from "./commands.ts";
import { PEOPLE_USAGES } from "./people_usage.ts";
import { REMOTE_USAGES } from "./remote_usage.ts";
import type { Usage } from "./usage_type.ts";
import { VERB_USAGES } from "./verb_usages.ts";

/** Only this program starts it. */
type Hidden = "scanner";

/** The commands that people use, as `strongroom help` lists them. */
export const USAGES: Readonly<Record<Exclude<CommandName, Hidden>, Usage>> = {
  serve: {
    summary: "Serve until SIGTERM, SIGINT or SIGQUIT",
    forms: ["serve [--accept-damage]"],
    details:
      `A second signal stops the server immediately. SIGHUP makes it read its secret or key again.

  --accept-damage  Start although the database has lost changes, or files have lost content`,
    examples: [
      "strongroom serve",
      "STRONGROOM_DATA_DIR=/srv/models STRONGROOM_PORT=9000 strongroom serve",
    ],
  },
  token: {
    summary: "Print a new credential for a server, or list or revoke them",
    forms: [
      "token --user NAME [--privileges P,…] [--admin] [--tree NAME=P,…]… [--ttl 1h] [--quota SIZE]\n" +
      "    [--hf | --s3]",
      "token list [--json]",
      "token revoke JTI",
      "token revoke --user NAME [--before TIME]",
    ],
    details: `Signs with the secret in the data directory of the server, or STRONGROOM_JWT_SECRET.
list prints the credentials that were minted or revoked, not the tokens. revoke makes a server,
running or not, refuse a credential from now on, or with --user all of a user that were issued before
a time, also those that the server does not know. Links and signed addresses end with them.

  --user NAME        The user whose files the credential gives access to: a name, or a number
  --privileges P,…   ${
      PRIVILEGES.join(", ").replaceAll(/(.{1,70}), /g, "$1,\n                     ")
    }
  --admin            All privileges
  --tree NAME=P,…    Privileges in the tree of another user; view is short for resources.view
  --ttl TIME         How long it is valid: 90s, 15m, 1h, 30d. Default: 1h
  --quota SIZE       The most bytes of the user's files, such as 5GiB
  --hf               A short one, hf_ and 37 letters and digits: clients of the model hub that take
                     no other
  --s3               An access key for clients of S3, as two variables of their environment
  --label TEXT       What it is for; lists show it
  --before TIME      With revoke --user: 2026-01-31T09:00:00Z. Default: now`,
    examples: [
      "TOKEN=$(strongroom token --user 1 --admin)",
      "strongroom token --user 7 --privileges resources.view,resources.download --ttl 30d",
      "strongroom token --user 3 --tree 7=view,download,upload",
      "HF_TOKEN=$(strongroom token --hf --user 7 --privileges resources.view,resources.download --ttl 30d)",
      "export $(strongroom token --s3 --user 7 --privileges resources.view,resources.download --ttl 30d)",
      "strongroom token list",
      "strongroom token revoke --user 7",
    ],
    values: { "--privileges": PRIVILEGES },
  },
  ...PEOPLE_USAGES,
  policy: {
    summary: "Check the rules of the policy, or say which files they and the gate let through",
    forms: ["policy check [--json]", "policy check REPO[@REV]|PATH [--json]"],
    details:
      `Without an argument, prints the rules of strongroom.toml, or what is wrong with them and the settings
of the server. With one, asks a server about each file of a repository such as google/gemma, or at and
below a path such as datasets/google/questions: whether it could be downloaded now, by which rule, or
what is not known yet. Exit code 0: nothing is wrong, or all could be; 1: something could not; 2: the
rules are wrong, or the server does not answer.

  --server URL  Use this server; strongroom login list shows those that are known
  --tree NAME   Judge files in the tree of another user
  --json        Print JSON, a line for each rule or file`,
    examples: [
      "strongroom policy check",
      "strongroom policy check google/gemma",
      "strongroom policy check --json models | jq -r .rule | sort | uniq -c",
    ],
    remotePaths: "all",
  },
  invite: {
    summary: "Print a link by which a person makes a passkey and signs in to the console",
    forms: ["invite NAME [--group G]…"],
    details:
      `Adds the person, unless it is known. The link is for one use within 24 hours, and replaces a
former one. Who has lost all passkeys is invited again.

  --group G  A group of a new person. admins may do everything, members what they like in their own
             tree, unless the server has roles of its own. Default: members`,
    examples: [
      "strongroom invite ana",
      "strongroom invite ben --group admins",
    ],
  },
  scan: {
    summary: "Scan model files on this machine, and report what is dangerous in them",
    forms: ["scan [OPTIONS] PATH…", "scan --remote [OPTIONS] PATH…"],
    details: `Exit code 0: nothing found; 1: something found; 2: not everything could be scanned.
The path - is stdin, which --name names. Links to files are followed.

  --format FORMAT        json, text, sarif, junit or cyclonedx. Default: text on a terminal, else json
  -o, --output FILE      Write the report to a file, whole or not at all
  --fail-on LEVEL        The least severity that counts as found: critical, warning (default), info, debug
  --strict               Count files with names of models that are in unknown formats
  --fail-on-unknown      Count all files in unknown formats
  --baseline FILE        Count and mark only what is new since an earlier report in JSON
  --config FILE          A file of waivers. Default: strongroom.toml in this directory, unless it is
                         among the scanned files
  --exclude GLOB         Leave out paths: *.bin, tmp/**, /models/old. May be given several times
  --no-default-excludes  Do not leave out .git, node_modules and the like
  --scanners ID,…        Run these scanners only; strongroom scanners lists them
  --weights              Analyze the values of tensors, too
  --name NAME            The name of what comes on stdin
  --remote               Have a server scan paths of its tree: STRONGROOM_URL, or that of strongroom login
  --server URL           With --remote: another server than that
  --tree NAME            With --remote: the tree of another user`,
    examples: [
      "strongroom scan model.safetensors",
      "strongroom scan --format sarif -o report.sarif --fail-on critical models/",
      "strongroom scan --remote models/first",
      "curl -L https://models.example/model.pt | strongroom scan --name model.pt -",
    ],
    takesFiles: true,
    values: {
      "--format": ["json", "text", "sarif", "junit", "cyclonedx"],
      "--fail-on": ["critical", "warning", "info", "debug"],
    },
  },
  rules: {
    summary: "Print what the rules of findings mean, how severe they are, and what to do",
    forms: ["rules [CODE] [--json]"],
    examples: ["strongroom rules", "strongroom rules S104"],
  },
  scanners: {
    summary: "Print which formats are read, which are only recognized, and which are unknown",
    forms: ["scanners [--json]"],
    examples: ["strongroom scanners"],
  },
  capacity: {
    summary: "Print how many scans and tools the host can carry, and what the server runs",
    forms: ["capacity [--json] [--watch]"],
    details: "  --watch  Refresh it each second",
    examples: ["strongroom capacity --watch", "strongroom capacity --json"],
  },
  check: {
    summary: "Check the database, all records and their content, while a server runs or not",
    forms: ["check [--read-data] [--repair] [--json]"],
    details: `Exit code 0: sound; 1: repaired; 2: damage is left.
Uses the settings of the server, those of PostgreSQL and of an object store too.

  --read-data  Read and hash all content; otherwise only its sizes are checked
  --repair     Repair what is possible, without a server. Moves content without a record to quarantine/
               and damaged content to damaged/, and deletes nothing`,
    examples: ["strongroom check", "strongroom check --read-data --json"],
  },
  backup: {
    summary: "Back up the data directory, while a server runs or not",
    forms: ["backup DIR [--json]"],
    details:
      `Copies only what is new since the last backup to DIR. Exit code 0: all is there; 1: some content is
damaged in the data directory and not in the backup; 2: DIR keeps its former backup.`,
    examples: ["strongroom backup /srv/backup"],
    takesFiles: true,
  },
  restore: {
    summary: "Restore a backup, or what was at a path of a server",
    forms: [
      "restore DIR [--json]",
      "restore PATH --at VERSION [DESTINATION] [--force]",
    ],
    details:
      `A backup is restored into the data directory, which must be empty. Exit code 0: all is there; 1: some
content is missing from the backup or damaged in it; 2: nothing is restored.

With --at, a file or directory of a server comes back as it was, as one change, and no content is copied.

  --at VERSION  A version as strongroom log prints it, a time such as 2026-11-22T09:00:00Z, or a tag
  -f, --force   Replace files that are there, and merge directories
  --server URL  Use this server; strongroom login list shows those that are known
  --tree NAME   Act in the tree of another user
  --json        Print JSON`,
    examples: [
      "STRONGROOM_DATA_DIR=/srv/restored strongroom restore /srv/backup",
      "strongroom restore models/llama --at 41",
      "strongroom restore models/llama/config.json --at v1.0 old-config.json",
    ],
    takesFiles: true,
    remotePaths: "colon",
  },
  migrate: {
    summary: "Carry a whole strongroom to other engines, and verify it there",
    forms: ["migrate --from SOURCE --to TARGET [--json]", "migrate --finish"],
    details:
      `A strongroom is named by its data directory or, if it uses PostgreSQL or an object store, by a file
with the settings of its server, one a line, such as
STRONGROOM_DATABASE_URL=postgres://user:password@host:5432/database. No server may run meanwhile. The
source stays as it is, and the target must be empty. A run that was interrupted can be repeated.
Exit code 0: the target is whole; 1: some content of the source is missing or damaged; 2: it failed.

  --from SOURCE  The data directory or the file of settings of the strongroom
  --to TARGET    Those of the new one
  --json         Print what was carried as JSON
  --finish       End an upgrade of servers that share the database of the settings: from then on, those of
                 an earlier version do not start`,
    examples: [
      "strongroom migrate --from /var/lib/strongroom --to /etc/strongroom/new.env",
      "strongroom migrate --from old.env --to /srv/strongroom",
    ],
    takesFiles: true,
  },
  adopt: {
    summary: "Have the objects of a store belong to a database that was restored",
    forms: ["adopt"],
    details:
      `The object store remembers the database that its objects belong to, and a copy of that database is
refused: what a server of one deletes, the other lacks. After a restore that replaces the former
database for good, this makes the restored one the owner. The settings are those of a server.`,
    examples: ["strongroom adopt"],
  },
  ...REMOTE_USAGES,
  ...VERB_USAGES,
  config: {
    summary: "Print every setting, its value and its source",
    forms: ["config"],
    examples: ["strongroom config"],
  },
  permissions: {
    summary: "Print the permissions that the settings need, as flags for deno run",
    forms: ["permissions"],
    examples: ["strongroom permissions"],
  },
  completion: {
    summary: "Print a script that completes commands and options in a shell",
    forms: ["completion bash|zsh|fish"],
    details: "Add the line of the examples for your shell to its configuration.",
    examples: [
      "source <(strongroom completion bash)  # ~/.bashrc",
      "source <(strongroom completion zsh)   # ~/.zshrc, after compinit",
      "strongroom completion fish | source   # ~/.config/fish/config.fish",
    ],
  },
  help: {
    summary: "Explain the commands, or one with examples",
    forms: ["help [COMMAND]"],
    examples: ["strongroom help scan"],
  },
  version: {
    summary: "Print the version",
    forms: ["version", "--version"],
    examples: ["strongroom --version"],
  },
};

/** How to use a command; undefined if it is not one that people use. */
export function usageNamed(name: string): Usage | undefined {
  return Object.entries(USAGES).find(([it]) => it === name)?.[1];
}
