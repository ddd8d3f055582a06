import type { Usage } from "./usage_type.ts";

const BESIDE =
  `Uses the settings of the server, which may run: it knows of the change within a second.
A name is a letter, and up to 63 letters, digits, dots, underscores and hyphens. Wherever a number of a
user is taken, its name is too, and the names that it had before.`;

/** The commands for people and teams (C 27). */
export const PEOPLE_USAGES = {
  user: {
    summary: "List, add, rename and disable people, and say in which groups they are",
    forms: [
      "user list [--json]",
      "user show NAME [--json]",
      "user add NAME [--email ADDRESS] [--group GROUP]… [--number ID] [--json]",
      "user disable NAME",
      "user enable NAME",
      "user rename NAME NEW_NAME",
      "user groups NAME [--add GROUP]… [--remove GROUP]…",
      "user can NAME ACTION PATH [--tree NAME] [--json]",
    ],
    details: `${BESIDE}

disable ends the sessions, credentials and links of a person at once, and keeps its tree. What ended does not
come back when it is enabled again. groups prints the groups of a person, after it has changed them.
can says whether a person who is signed in may do something to a path, and by which group: view, upload, edit,
delete, download, or any other privilege. Exit code 0: it may; 1: it may not. The gate judges content besides.

  --email ADDRESS  Its address of e-mail
  --group GROUP    A group that it is in
  --number ID      The number that it has a tree or credentials by already. Default: a new one
  --add GROUP      A group that it is to be in
  --remove GROUP   A group that it is not to be in any more
  --tree NAME      With can: in the tree of this user. Default: its own
  --json           Print JSON, a line for each person`,
    examples: [
      "strongroom user add ana --email ana@example.org --group research",
      "strongroom user groups ana --add admins",
      "strongroom user disable ana",
      "strongroom user can ana download models/llama --tree vision",
      "strongroom user list --json | jq -r .name",
    ],
  },
  team: {
    summary: "List, add and rename teams, which have a tree and no credential",
    forms: [
      "team list [--json]",
      "team show NAME [--json]",
      "team add NAME [--number ID] [--json]",
      "team rename NAME NEW_NAME",
    ],
    details: `${BESIDE}

  --number ID  The number that it has a tree by already. Default: a new one
  --json       Print JSON, a line for each team`,
    examples: ["strongroom team add vision", "strongroom ls --tree vision models"],
  },
} satisfies Readonly<Record<string, Usage>>;
