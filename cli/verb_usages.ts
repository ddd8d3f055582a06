import { PAST_USAGES } from "./past_usages.ts";
import type { Usage } from "./usage_type.ts";
import { VERDICTS } from "../schemas/verdict_names.ts";

const COMMON = `  --server URL  Use this server; strongroom login list shows those that are known
  --tree NAME   Act in the tree of another user
  --json        Print JSON, a line for each entry`;

/** How to use the verbs for files on a server (C 25). */
export const VERB_USAGES = {
  cat: {
    summary: "Print files of a server, one after the other",
    forms: ["cat PATH…"],
    details: `  --server URL  Use this server; strongroom login list shows those that are known
  --tree NAME   Print files in the tree of another user`,
    examples: ["strongroom cat models/config.json | jq .architectures"],
    remotePaths: "all",
  },
  ls: {
    summary: "List directories and files of a server",
    forms: ["ls [-l] [-R] [--at VERSION] [--json] [PATH…]"],
    details:
      `The root is listed by default. Lists of any size are printed as they arrive. Of several paths, files
come first, then the directories with their names.

  -l, --long       Print sizes and the times of the last changes, in UTC
  -R, --recursive  List the directories below, too
  --at VERSION     As it was at a version, at a time such as 2026-11-22T09:00:00Z, or by a tag
  --server URL     Use this server; strongroom login list shows those that are known
  --tree NAME      List the tree of another user
  --json           Print JSON, a line for each entry`,
    examples: [
      "strongroom ls -l models",
      "strongroom ls models datasets",
      "strongroom ls -R --json | jq .size",
      "strongroom ls --at v1.0 models/llama",
    ],
    remotePaths: "all",
  },
  tree: {
    summary: "List a directory of a server and those below it, indented",
    forms: ["tree [--depth N] [PATH]"],
    details: `  --depth N     Show so many levels of directories only
  --server URL  Use this server; strongroom login list shows those that are known
  --tree NAME   List the tree of another user`,
    examples: ["strongroom tree --depth 2 models"],
    remotePaths: "all",
  },
  find: {
    summary: "Print the paths of a server that meet all conditions",
    forms: ["find [OPTIONS] [PATH]"],
    details:
      `Searches the root, or the directory PATH, with all that is below. Of several values of one option, one
has to match; of several --tag, all. Facts come with scans; a directory has those of its files together.

  --name GLOB          Paths that end like this: *.safetensors, models/*/config.json
  --type TYPE          Entries of this type: file, directory
  --min-size SIZE      Files of this size or more, such as 5GiB
  --max-size SIZE      Files of this size or less
  --text WORDS         Words and parts of words in paths and facts
  --kind KIND          Entries of this kind: file, model, dataset
  --format NAME        The format of the weights, such as gguf
  --architecture NAME  Such as llama
  --license NAME       As authors name it, or its SPDX identifier
  --parameters RANGE   The number of parameters: 1B..8B, 7e9.., ..350M
  --dtype NAME         A type of elements or a quantization, such as bfloat16 or Q4_K_M
  --base-model NAME    A model that it was made from
  --tag NAME           A tag, language, library or task
  --verdict VERDICT    Files with this verdict; directories whose worst file has it
  --updated RANGE      When it was last changed: 2026-11-01..2026-11-22
  --sort ORDER         path, updated, parameters or size; -updated: the newest first
  --server URL         Use this server; strongroom login list shows those that are known
  --tree NAME          Search the tree of another user
  --json               Print JSON, a line for each entry`,
    examples: [
      "strongroom find --kind model --license apache-2.0 --parameters 7B..9B --verdict clean",
      "strongroom find --name '*.pkl' --name '*.pt'",
      "strongroom find --min-size 1GiB --json models | jq -r .path",
    ],
    remotePaths: "all",
    values: {
      "--type": ["file", "directory"],
      "--kind": ["file", "model", "dataset"],
      "--sort": ["path", "updated", "-updated", "parameters", "-parameters", "size", "-size"],
      "--verdict": VERDICTS,
    },
  },
  stat: {
    summary: "Print an entry of a server with its checksums and its verdict",
    forms: ["stat PATH"],
    details: COMMON,
    examples: ["strongroom stat models/model.safetensors"],
    remotePaths: "all",
  },
  facts: {
    summary: "Print what a file or directory of a server says of itself",
    forms: ["facts [--at VERSION] [--json] PATH"],
    details:
      `Format, tensors, parameters, architecture, license and the like, as scans have found them; of a
directory, those of its files put together.

  --at VERSION  As it was at a version, at a time such as 2026-11-22T09:00:00Z, or by a tag
  --server URL  Use this server; strongroom login list shows those that are known
  --tree NAME   Act in the tree of another user
  --json        Print it as JSON`,
    examples: [
      "strongroom facts models/llama",
      "strongroom facts --json models/llama | jq .facts.license",
    ],
    remotePaths: "all",
  },
  verify: {
    summary: "Verify the signature on a file or directory of a server",
    forms: ["verify [--at VERSION] [--json] PATH"],
    details:
      `By the model.sig of OpenSSF Model Signing beside it or above it, for the signers that the server
trusts. The exit code is 0 if all of it is as it was signed, 1 if it is not or nobody signed it.

  --at VERSION  As it was at a version, at a time such as 2026-11-22T09:00:00Z, or by a tag
  --server URL  Use this server; strongroom login list shows those that are known
  --tree NAME   Act in the tree of another user
  --json        Print it as JSON`,
    examples: [
      "strongroom verify models/llama",
      "strongroom verify --json models/llama | jq .signature.state",
    ],
    remotePaths: "all",
  },
  usage: {
    summary: "Print what a tree of a server holds, and what of its quota is left",
    forms: ["usage [--all] [--json]"],
    details: `Stored is what the contents take, each content once.

  --all         Of all trees together, which needs resources.admin
  --server URL  Use this server; strongroom login list shows those that are known
  --tree NAME   Of the tree of another user
  --json        Print it as JSON`,
    examples: ["strongroom usage", "strongroom usage --all --json | jq .stored_bytes"],
  },
  mkdir: {
    summary: "Make directories of a server, with those above them",
    forms: ["mkdir PATH…"],
    details: `A directory that is there is not an error.

${COMMON}`,
    examples: ["strongroom mkdir models/first models/second"],
    remotePaths: "all",
  },
  mv: {
    summary: "Move or rename files and directories of a server",
    forms: ["mv [--force] SOURCE… DESTINATION"],
    details:
      `All sources or none, as long as they fit in a request, which takes 1000. Into the root, one by one.

  -f, --force   Replace files that are there, and merge directories
${COMMON}`,
    examples: ["strongroom mv draft.gguf models/final.gguf", "strongroom mv a.bin b.bin models/"],
    remotePaths: "all",
  },
  cp: {
    summary: "Copy files and directories of a server, which takes no space",
    forms: ["cp [--force] SOURCE… DESTINATION"],
    details:
      `All sources or none, as long as they fit in a request, which takes 1000. Into the root, one by one.

  -f, --force   Replace files that are there, and merge directories
${COMMON}`,
    examples: ["strongroom cp models/first models/second"],
    remotePaths: "all",
  },
  rm: {
    summary: "Delete files of a server and, with -r, directories",
    forms: ["rm [-r] [-f] [--purge] PATH…"],
    details:
      `Asks nothing. Exit code 1: something could not be deleted. With -r, all paths of a request are deleted,
or none; a request takes 1000.

  -r, --recursive  Delete directories with all that is in them, too
  -f, --force      Leave out paths that are not there
  --purge          Have no earlier version keep the content, as a secret must not be kept
  --server URL     Use this server; strongroom login list shows those that are known
  --tree NAME      Delete in the tree of another user
  --json           Print the deleted entries as JSON, a line for each`,
    examples: ["strongroom rm notes.txt", "strongroom rm -rf models/old models/older"],
    remotePaths: "all",
  },
  events: {
    summary: "Print what happens in a tree of a server, until it is stopped",
    forms: ["events [--since ID] [--json]"],
    details: `Connects again where a connection ends, and misses nothing that the server still has.

  --since ID    Print what happened after an event, whose id --json shows
  --server URL  Use this server; strongroom login list shows those that are known
  --tree NAME   Follow the tree of another user
  --json        Print JSON, a line for each event`,
    examples: ["strongroom events", "strongroom events --json | jq -r .data.path"],
  },
  link: {
    summary: "Make a link to a file or directory of a server, or list or revoke links",
    forms: ["link PATH [--expires TIME] [--once]", "link list", "link revoke ID…"],
    details: `Prints a URL that needs no credential. A path "list" is written as ./list.

  --expires TIME  How long the link is valid, 30d at most. Default: 7d
  --once          Serve one download only
  --server URL    Use this server; strongroom login list shows those that are known
  --tree NAME     Act in the tree of another user
  --json          Print JSON, a line for each link`,
    examples: [
      "strongroom link models/first --expires 1d",
      "strongroom link list",
      "strongroom link revoke 12",
    ],
    remotePaths: "all",
  },
  ...PAST_USAGES,
  mirror: {
    summary: "Fetch repositories of another hub ahead, and keep or give up what came in",
    forms: [
      "mirror add REPO[@REV] [--include GLOB]… [--pin]",
      "mirror ls [REPO[@REV]]",
      "mirror pin REPO[@REV]…",
      "mirror unpin REPO[@REV]…",
      "mirror rm REPO[@REV]…",
      "mirror export REPO[@REV] > FILE",
      "mirror import < FILE",
    ],
    details:
      `A repository is named like google/gemma, or datasets/google/questions. Without a revision, add and pin
take what main names now, unpin and rm all that the mirror has. add needs mirror.use, and prints what
the policy or the gate refuses; pin, unpin and rm need resources.admin. Files of a pinned revision stay
whatever comes in. rm gives files up: they are fetched again when they are asked for. export writes a
revision with what has come in of it to a file for a strongroom without any network, and import takes it
over there, each file verified by its digest; both need resources.admin. Exit code 1: some files are
refused.

  --include GLOB  Fetch these paths only: *.safetensors, onnx/**. May be given several times
  --pin           Pin the revision, too
  --server URL    Use this server; strongroom login list shows those that are known
  --json          Print JSON, a line for each revision`,
    examples: [
      "strongroom mirror add google/gemma --include '*.safetensors' --include '*.json'",
      "strongroom mirror add google/gemma@v1.1 --pin",
      "strongroom mirror ls",
      "strongroom mirror rm datasets/google/questions",
      "strongroom mirror export google/gemma > gemma.archive",
      "strongroom mirror import --server http://inside.example:8080 < gemma.archive",
    ],
  },
} satisfies Readonly<Record<string, Usage>>;
