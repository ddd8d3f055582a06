import type { Usage } from "./usage_type.ts";

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
    forms: ["ls [-l] [-R] [--json] [PATH…]"],
    details:
      `The root is listed by default. Lists of any size are printed as they arrive. Of several paths, files
come first, then the directories with their names.

  -l, --long       Print sizes and the times of the last changes, in UTC
  -R, --recursive  List the directories below, too
  --server URL     Use this server; strongroom login list shows those that are known
  --tree NAME      List the tree of another user
  --json           Print JSON, a line for each entry`,
    examples: [
      "strongroom ls -l models",
      "strongroom ls models datasets",
      "strongroom ls -R --json | jq .size",
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
      `Searches the root, or the directory PATH, with all that is below. Of several --name, one has to match.

  --name GLOB      Paths that end like this: *.safetensors, models/*/config.json
  --type TYPE      Entries of this type: file, directory
  --min-size SIZE  Files of this size or more, such as 5GiB
  --max-size SIZE  Files of this size or less
  --server URL     Use this server; strongroom login list shows those that are known
  --tree NAME      Search the tree of another user
  --json           Print JSON, a line for each entry`,
    examples: [
      "strongroom find --name '*.pkl' --name '*.pt'",
      "strongroom find --min-size 1GiB --json models | jq -r .path",
    ],
    remotePaths: "all",
    values: { "--type": ["file", "directory"] },
  },
  stat: {
    summary: "Print an entry of a server with its checksums and its verdict",
    forms: ["stat PATH"],
    details: COMMON,
    examples: ["strongroom stat models/model.safetensors"],
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
    forms: ["rm [-r] [-f] PATH…"],
    details:
      `Asks nothing. Exit code 1: something could not be deleted. With -r, all paths of a request are deleted,
or none; a request takes 1000.

  -r, --recursive  Delete directories with all that is in them, too
  -f, --force      Leave out paths that are not there
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
} satisfies Readonly<Record<string, Usage>>;
