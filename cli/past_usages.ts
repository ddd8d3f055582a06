import type { Usage } from "./usage_type.ts";

/** How to use the verbs for what was (C 26). */
export const PAST_USAGES = {
  log: {
    summary: "Print what has changed in a tree of a server, newest first",
    forms: ["log [-n N] [PATH]"],
    details:
      `Of the whole tree, or of PATH and all below it: version, time in UTC, user, what was done, and where. A file
or directory that was moved keeps its history.

  -n, --limit N  Print so many changes at most
  --server URL   Use this server; strongroom login list shows those that are known
  --tree NAME    Of the tree of another user
  --json         Print JSON, a line for each change`,
    examples: [
      "strongroom log models/llama",
      "strongroom log -n 20",
      "strongroom log --json | jq .sha256",
    ],
    remotePaths: "all",
  },
  diff: {
    summary: "Print what is different between two versions of a tree of a server",
    forms: ["diff --from VERSION [--to VERSION] [PATH]"],
    details:
      `Ordered by path: + was added, ~ replaced, > moved, - deleted. What has left PATH is where it was.

  --from VERSION  A version as strongroom log prints it, a time such as 2026-11-22T09:00:00Z, or a tag
  --to VERSION    Another one. Default: what is there now
  --server URL    Use this server; strongroom login list shows those that are known
  --tree NAME     Of the tree of another user
  --json          Print JSON, a line for each difference`,
    examples: ["strongroom diff --from v1.0 models/llama", "strongroom diff --from 41 --to 57"],
    remotePaths: "all",
  },
  compare: {
    summary: "Print what is different between two files, directories or versions of a server",
    forms: ["compare PATH[@VERSION] PATH[@VERSION]", "compare PATH@VERSION"],
    details:
      `Tensors of safetensors and GGUF by type, shape and bytes, JSON by its keys, texts by their lines, and
other files by their size and SHA-256: + only in the latter, - only in the former, ~ changed, > moved. One
path is compared with what is there now. VERSION is a version as strongroom log prints it, a time such as
2026-11-22T09:00:00Z, or a tag; if something is at a path with its @, that is compared. The server reads
weights when they are compared for the first time, which may take minutes.

  --from-at VERSION  The version of the first path, whose @ is a part of its name then
  --to-at VERSION    The same for the second one
  --server URL       Use this server; strongroom login list shows those that are known
  --tree NAME        In the tree of another user
  --json             Print it as JSON`,
    examples: [
      "strongroom compare models/llama@v1.0",
      "strongroom compare models/llama models/llama-tuned",
      "strongroom compare --json a.safetensors b.safetensors | jq .weights[0].changed",
    ],
    remotePaths: "all",
  },
  tag: {
    summary: "Name what is at a path of a server, or was, or list or remove such names",
    forms: ["tag NAME PATH [--at VERSION] [-m TEXT]", "tag list [PATH]", "tag remove NAME…"],
    details:
      `What a tag names can be read for as long as the tag is there, and counts against the quota. : is the root.

  --at VERSION        As it was at a version, at a time such as 2026-11-22T09:00:00Z, or by another tag
  -m, --message TEXT  What it is for; lists show it
  --server URL        Use this server; strongroom login list shows those that are known
  --tree NAME         Act in the tree of another user
  --json              Print JSON, a line for each tag`,
    examples: [
      "strongroom tag v1.0 models/llama -m 'First release'",
      "strongroom get --at v1.0 models/llama .",
      "strongroom tag remove v1.0",
    ],
    remotePaths: "all",
  },
  trash: {
    summary: "List what was deleted on a server, restore it, or give it up",
    forms: ["trash", "trash restore PATH… [--force]", "trash empty PATH…", "trash empty --all"],
    details:
      `Lists what was deleted as a whole and is not there again, newest first. empty has no version keep the content.

  -f, --force   Replace files that are there, and merge directories
  --all         Give up all of the trash
  --server URL  Use this server; strongroom login list shows those that are known
  --tree NAME   Act in the tree of another user
  --json        Print JSON, a line for each entry`,
    examples: [
      "strongroom trash",
      "strongroom trash restore models/llama",
      "strongroom trash empty --all",
    ],
    remotePaths: "all",
  },
  purge: {
    summary: "Remove a content from all trees of a server and all of their versions",
    forms: ["purge --sha256 HEX"],
    details:
      `For secrets, and for what the law wants gone; needs resources.admin. Files of all users that have the content
are deleted, no version and no tag has it any more, and it is removed. Backups keep what they have.

  --sha256 HEX  The content, as strongroom stat prints it
  --server URL  Use this server; strongroom login list shows those that are known
  --json        Print the deleted entries as JSON, a line for each`,
    examples: ['strongroom purge --sha256 "$(sha256sum secret.env | cut -c-64)"'],
  },
} satisfies Readonly<Record<string, Usage>>;
