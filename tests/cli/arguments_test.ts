import * as assert from "node:assert/strict";
import { type CommandName, COMMANDS, isCommand } from "../../cli/commands.ts";
import { USAGES } from "../../cli/usage.ts";
import { UsageError } from "../../cli/usage_error.ts";
import { optionsOf, subcommandsOf } from "../../cli/usage_options.ts";
import { LOADERS } from "../../main.ts";
import { ROOT, strongroom } from "../support/child_server.ts";

/** Arguments with which a command gets as far as its other options. */
const REQUIRED: Partial<Record<CommandName, readonly string[]>> = {
  token: ["--user", "1", "--admin"],
  user: ["add", "ana"],
  invite: ["ana"],
  team: ["add", "vision"],
  scan: ["-"],
  backup: ["directory"],
  restore: ["directory"],
  migrate: ["--from", "here", "--to", "there"],
  login: ["https://files.example"],
  put: ["local", ":"],
  get: ["remote", "local"],
  sync: ["local", ":remote"],
  cat: ["path"],
  stat: ["path"],
  mkdir: ["path"],
  mv: ["a", "b"],
  cp: ["a", "b"],
  rm: ["path"],
  link: ["path"],
  diff: ["--from", "1"],
  tag: ["v1", "path"],
  facts: ["path"],
  verify: ["path"],
  compare: ["a", "b"],
  policy: ["check", "path"],
  mirror: ["ls"],
  purge: ["--sha256", "0".repeat(64)],
  completion: ["bash"],
};

/** What a command says about wrong arguments, without running anything else of it. */
async function complaint(name: CommandName, args: readonly string[]): Promise<string> {
  const { run } = await LOADERS[name]();
  try {
    await run([...args]);
  } catch (error) {
    assert.ok(error instanceof UsageError, `${name} ${args.join(" ")}: ${error}`);
    assert.doesNotMatch(error.message, /\n|undefined|\[object|positional/, args.join(" "));
    return error.message;
  }
  throw new Error(`${name} ${args.join(" ")} is not refused`);
}

Deno.test("C 25 every command refuses wrong options in one line that names option and value", async (t) => {
  for (const [name, usage] of Object.entries(USAGES)) {
    assert.ok(isCommand(name));
    const required = REQUIRED[name] ?? [];
    await t.step(name, async () => {
      assert.match(await complaint(name, [...required, "--unknown"]), /--unknown/);
      // --version is the command itself.
      for (const { long, short, value } of name === "version" ? [] : optionsOf(usage)) {
        // One of its subcommands may have it alone.
        const isElsewhere = (await complaint(name, [...required, `${long}=`, "--unknown"]))
          .startsWith(`Unknown option ${long}`);
        if (isElsewhere && subcommandsOf(name).length > 0) continue;
        if (value === undefined) {
          assert.equal(
            await complaint(name, [...required, `${long}=yes`]),
            `${long} takes no value, not "yes"`,
          );
          continue;
        }
        for (const option of [long, ...short === undefined ? [] : [short]]) {
          const needs = `${long} needs a value`;
          assert.equal(await complaint(name, [...required, option]), needs);
          const next = await complaint(name, [...required, option, "--json"]);
          assert.ok(next.startsWith(`${needs}, and "--json" is an option`), next);
        }
        const empty = await complaint(name, [...required, long, ""]);
        assert.ok(empty.includes(long) && /""|needs --/.test(empty), empty);
      }
    });
  }
});

/** Wrong values, and what is said of them. */
const WRONG: readonly (readonly [args: string, message: string])[] = [
  ["token", "--user is required: a name, or the id of a user from 1 to 2^53 − 1"],
  ["token --admin", "--user is required: a name, or the id of a user from 1 to 2^53 − 1"],
  ["token --user -1 --admin", '--user must be a name, or an id from 1 to 2^53 − 1, not "-1"'],
  ["token --user a/n --admin", '--user must be a name, or an id from 1 to 2^53 − 1, not "a/n"'],
  [
    "token --user 1 --admin --ttl -1h",
    '--ttl must be a duration such as 90s, 15m, 1h or 30d, not "-1h"',
  ],
  [
    "token --user 1 --admin --quota -5",
    '--quota must be a size such as 5GiB, 300MB or 1000000, not "-5"',
  ],
  ["token list now", 'Unexpected argument "now": only options may follow'],
  [
    "token revoke",
    "token revoke needs one argument: the jti of a credential, or else --user and an id, with --before and " +
    "a time if you like",
  ],
  ["tree --depth -1", '--depth must be a number of levels from 1 to 999, not "-1"'],
  ["tree --depth two", '--depth must be a number of levels from 1 to 999, not "two"'],
  ["tree --depth 0", '--depth must be a number of levels from 1 to 999, not "0"'],
  ["tree a b", 'Only one path is expected, not also "b"'],
  ["tree --json", "tree has no JSON: use strongroom ls -R --json"],
  [
    "events --since abc",
    '--since must be the id of an event, as events --json prints it, not "abc"',
  ],
  ["events --since -1", '--since must be the id of an event, as events --json prints it, not "-1"'],
  ["events models", "events needs no path"],
  ["ls --tree m/e", '--tree must be the name or the id of a user, not "m/e"'],
  ["ls --tree -1", '--tree must be the name or the id of a user, not "-1"'],
  ["ls ..", 'Invalid path "..": a segment is ".."'],
  ["ls ../models", 'Invalid path "../models": a segment is ".."'],
  ["tree ./..", 'Invalid path "./..": a segment is ".."'],
  ["mv a ..", 'Invalid path "..": a segment is ".."'],
  ["put a ..", 'Invalid path "..": a segment is ".."'],
  ["sync a :../b", 'Invalid path "../b": a segment is ".."'],
  ["get ../a b", 'Invalid path "../a": a segment is ".."'],
  [
    "link a --expires soon",
    '--expires must be a duration up to 30d such as 90s, 15m, 1h or 7d, not "soon"',
  ],
  [
    "link a --expires 31d",
    '--expires must be a duration up to 30d such as 90s, 15m, 1h or 7d, not "31d"',
  ],
  ["link", "link needs one path"],
  [
    "link revoke x",
    'link revoke needs the ids of links, as strongroom link list prints them, not "x"',
  ],
  ["stat a b", "stat needs one path"],
  ["put a : --on-conflict ask", '--on-conflict must be one of error, skip, replace, not "ask"'],
  ["put a : --name a/b", '--name must be a name without slashes, for one source, not "a/b"'],
  [
    "scan x --fail-on fatal",
    '--fail-on must be one of critical, warning, info, debug, not "fatal"',
  ],
  [
    "scan x --format xml",
    '--format must be one of json, text, sarif, junit, cyclonedx, not "xml"',
  ],
  ["capacity now", 'Unexpected argument "now": only options may follow'],
  ["rules S104 S105", 'At most one rule code is expected, not also "S105"'],
  ["rules --json=1", '--json takes no value, not "1"'],
  ["version now", "Unknown argument now: this command takes none"],
];

Deno.test("C 25 wrong values are refused in one line with the option, the value and what is expected", async (t) => {
  for (const [line, message] of WRONG) {
    const [name = "", ...args] = line.split(" ");
    await t.step(line, async () => {
      assert.ok(isCommand(name));
      assert.equal(await complaint(name, args), message);
    });
  }
  await t.step("empty paths", async () => {
    const lines: [CommandName, string[]][] = [
      ["put", ["", ":"]],
      ["get", ["remote", ""]],
      ["sync", ["", ":remote"]],
      ["sync", [":remote", ""]],
      ["scan", [""]],
      ["stat", [""]],
      ["mkdir", [""]],
      ["rm", [""]],
      ["backup", [""]],
    ];
    for (const [name, args] of lines) {
      assert.match(await complaint(name, args), /path|required|empty/i, name);
    }
  });
});

Deno.test("C 25 wrong arguments end a command with exit code 2 and nothing on stdout", async () => {
  const lines = [
    "tree --depth -1",
    "token --admin",
    "check --json=1",
    "get --bwlimit x a b",
    "events x",
  ];
  await Promise.all(lines.map(async (line) => {
    const { code, stdout, stderr } = await strongroom(line.split(" "), {
      STRONGROOM_URL: "http://127.0.0.1:1",
      STRONGROOM_TOKEN: "token",
    });
    assert.deepEqual([code, stdout], [2, ""], line);
    assert.match(stderr, /^strongroom: .+\n$/);
  }));
});

Deno.test("C 25 the launcher gives each verb what the table of commands says", async () => {
  const script = await Deno.readTextFile(`${ROOT}packaging/strongroom`);
  const launched = (end: string) =>
    new RegExp(`^ {2}([\\w |-]+)\\) ${end}`, "m").exec(script)?.[1]?.split(" | ")
      .filter((it) => !it.startsWith("-")).sort();
  const verbs = Object.entries(COMMANDS).filter(([, access]) => access === "server");
  assert.deepEqual(launched("run_verb"), verbs.map(([name]) => name).sort());
  for (const name of launched('run "\\$main"') ?? []) {
    assert.ok(isCommand(name) && COMMANDS[name] === "all", name);
  }
  for (const name of launched(";;") ?? []) {
    assert.ok(isCommand(name) && COMMANDS[name] === "data", name);
  }
});
