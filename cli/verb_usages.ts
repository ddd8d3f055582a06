import type { Usage } from "./usage_type.ts";

const COMMON = `  --tree ID    Act in the tree of another user
  --json       Print JSON, a line for each entry`;

/** How to use the verbs for files on a server (C 25). */
export const VERB_USAGES = {
  ls: {
    summary: "List a directory of a server",
    forms: ["ls [-l] [-R] [--json] [PATH]"],
    details: `The root is listed by default. Lists of any size are printed as they arrive.

  -l, --long       Print sizes and the times of the last changes, in UTC
  -R, --recursive  List the directories below, too
  --tree ID        List the tree of another user
  --json           Print JSON, a line for each entry`,
    examples: ["strongroom ls -l models", "strongroom ls -R --json | jq .size"],
  },
  tree: {
    summary: "List a directory of a server and those below it, indented",
    forms: ["tree [--depth N] [PATH]"],
    details: `  --depth N  Show so many levels of directories only
  --tree ID  List the tree of another user`,
    examples: ["strongroom tree --depth 2 models"],
  },
  stat: {
    summary: "Print an entry of a server with its checksums and its verdict",
    forms: ["stat PATH"],
    details: COMMON,
    examples: ["strongroom stat models/model.safetensors"],
  },
  mkdir: {
    summary: "Make directories of a server, with those above them",
    forms: ["mkdir PATH…"],
    details: `A directory that is there is not an error.

${COMMON}`,
    examples: ["strongroom mkdir models/first models/second"],
  },
  mv: {
    summary: "Move or rename files and directories of a server",
    forms: ["mv [--force] SOURCE… DESTINATION"],
    details: `All sources or none, as long as they fit in a request, which takes 1000.

  -f, --force  Replace files that are there, and merge directories
${COMMON}`,
    examples: ["strongroom mv draft.gguf models/final.gguf", "strongroom mv a.bin b.bin models/"],
  },
  cp: {
    summary: "Copy files and directories of a server, which takes no space",
    forms: ["cp [--force] SOURCE… DESTINATION"],
    details: `All sources or none, as long as they fit in a request, which takes 1000.

  -f, --force  Replace files that are there, and merge directories
${COMMON}`,
    examples: ["strongroom cp models/first models/second"],
  },
  rm: {
    summary: "Delete files of a server and, with -r, directories",
    forms: ["rm [-r] PATH…"],
    details:
      `Asks nothing. Exit code 1: something could not be deleted. With -r, all paths of a request are deleted,
or none; a request takes 1000.

  -r, --recursive  Delete directories with all that is in them, too
  --tree ID        Delete in the tree of another user
  --json           Print the deleted entries as JSON, a line for each`,
    examples: ["strongroom rm notes.txt", "strongroom rm -r models/old"],
  },
  events: {
    summary: "Print what happens in a tree of a server, until it is stopped",
    forms: ["events [--since ID] [--json]"],
    details: `Connects again where a connection ends, and misses nothing that the server still has.

  --since ID   Print what happened after an event, whose id --json shows
  --tree ID    Follow the tree of another user
  --json       Print JSON, a line for each event`,
    examples: ["strongroom events", "strongroom events --json | jq -r .data.path"],
  },
  link: {
    summary: "Make a link to a file or directory of a server, or list or revoke links",
    forms: ["link PATH [--expires TIME] [--once]", "link list", "link revoke ID…"],
    details: `Prints a URL that needs no credential. A path "list" is written as ./list.

  --expires TIME  How long the link is valid, 30d at most. Default: 7d
  --once          Serve one download only
  --tree ID       Act in the tree of another user
  --json          Print JSON, a line for each link`,
    examples: [
      "strongroom link models/first --expires 1d",
      "strongroom link list",
      "strongroom link revoke 12",
    ],
  },
} satisfies Readonly<Record<string, Usage>>;
