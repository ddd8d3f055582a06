import * as assert from "node:assert/strict";
import { ENTRY_TYPES } from "../../cli/remote/find.ts";
import { SEARCH_KINDS, SearchSort } from "../../schemas/search.ts";
import { VERDICTS } from "../../schemas/verdict_names.ts";
import { CONFLICTS } from "../../cli/transfer/arguments.ts";
import { USAGES } from "../../cli/usage.ts";
import { REPORT_FORMATS, SEVERITIES } from "../../core/scanner/mod.ts";
import { PRIVILEGES } from "../../schemas/credentials.ts";
import { ROOT, strongroom } from "../support/child_server.ts";
import { COMMAND_ENVIRONMENT } from "../support/remote_client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { until } from "../support/until.ts";

const hasTerminals = Deno.build.os === "linux" && await hasProgram("script", "--version");

/** What a person types, with a tab where they ask for completion, and the words that the command gets. */
const TYPED: readonly (readonly [string, string])[] = [
  ["scann\t", "scanners"],
  ["compl\tz\t", "completion zsh"],
  ["help permi\t", "help permissions"],
  ["token rev\t", "token revoke"],
  ["scan --form\tjson", "scan --format json"],
  ["check --read\t", "check --read-data"],
  ["scan mod\t", "scan models"],
  ["scan a\\ b\t", "scan a b.pkl"],
  ["check mod\t", "check mod"],
  ["scan --format ju\tmodels", "scan --format junit models"],
  ["find --type d\tmodels", "find --type directory models"],
  // Paths of the server.
  ["stat wei\t", "stat weights"],
  ["stat weights/fi\t", "stat weights/first.bin"],
  ["ls --tree 2 of\t", "ls --tree 2 of-2"],
  ["sync mod :wei\t", "sync mod :weights"],
  ["put a :weights/fi\t", "put a :weights/first.bin"],
];

/** What `strongroom ls` is in a shell. */
const LS = `'${Deno.execPath()}' run -A '${ROOT}main.ts'`;

/** A server with files, and the environment of a shell that uses it. */
async function serverWithFiles() {
  const server = await TestServer.start();
  await (await server.as(1)).upload("weights", { "first.bin": "1", "second.bin": "2" });
  await (await server.as(2)).upload(undefined, { "of-2": "2" });
  const token = await mintToken({
    userId: 1,
    privileges: USER_PRIVILEGES,
    trees: { 2: ["resources.view"] },
  });
  const env = { ...COMMAND_ENVIRONMENT, STRONGROOM_URL: server.origin, STRONGROOM_TOKEN: token };
  return { env, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** What a shell prints when it takes a line. */
const PROMPT = "next?";
/** What some shells tell the terminal after it. */
const BRACKETED_PASTE = "\x1b[?2004h";

/**
 * Types lines into an interactive shell on a terminal, in a directory with files to complete. Returns the
 * arguments that `strongroom` got.
 */
async function typed(
  shell: readonly string[],
  begin: (script: string) => string,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  await using directory = await TempDir.make();
  await Deno.mkdir(`${directory.path}/models`);
  await Deno.writeTextFile(`${directory.path}/a b.pkl`, "");
  const script = `${directory.path}/.completion`;
  const { stdout } = await strongroom(["completion", shell[0] ?? ""]);
  await Deno.writeTextFile(script, stdout);
  const child = new Deno.Command("script", {
    args: ["-qec", `PS1=${PROMPT} ${shell.join(" ")}`, "/dev/null"],
    cwd: directory.path,
    env: { ...env, TERM: "dumb", HOME: directory.path },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  let shown = "";
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) shown += text;
  })();
  const lines = [begin(script), ...TYPED.map(([line]) => `strongroom ${line}`), "exit"];
  for (const [index, line] of lines.entries()) {
    // A shell discards what was typed before it reads the keys of a line.
    await until(() =>
      [PROMPT, PROMPT + BRACKETED_PASTE].some((end) => shown.endsWith(end)) &&
      shown.split("ran<").length >= index
    );
    // So that the prompt is not taken for the next one.
    shown += line;
    await writer.write(new TextEncoder().encode(`${line}\n`));
  }
  await writer.close().catch(() => {});
  await reading;
  await child.status;
  return [...shown.matchAll(/ran<([^>\r\n]*)>/g)].map(([, args = ""]) =>
    args.replace(/\/?\s*$/, "")
  );
}

const SHELLS = [
  {
    shell: ["bash", "--norc", "--noprofile", "-i"],
    begin: (script: string) =>
      `bind 'set enable-bracketed-paste off'; ` +
      `strongroom() { case $1$COMP_LINE in ls*strongroom*) ${LS} "$@" ;; *) echo "ran""<$*>" ;; esac; }; . ${script}`,
  },
  {
    shell: ["zsh", "-f", "-i"],
    begin: (script: string) =>
      `autoload -Uz compinit; compinit -u -D; strongroom() { ` +
      `if (( \${+compstate} )); then ${LS} "$@"; else print -r -- "ran""<$*>"; fi; }; . ${script}`,
  },
];

for (const { shell, begin } of SHELLS) {
  Deno.test({
    name: `C 25 ${shell[0]} completes commands, options, their values, subcommands and paths`,
    ignore: !hasTerminals || !await hasProgram(shell[0] ?? "", "--version"),
    async fn() {
      await using server = await serverWithFiles();
      assert.deepEqual(await typed(shell, begin, server.env), TYPED.map(([, args]) => args));
    },
  });
}

Deno.test({
  name: "C 25 fish completes commands, options, their values, subcommands and paths",
  ignore: !await hasProgram("fish", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    await using server = await serverWithFiles();
    await Deno.mkdir(`${directory.path}/models`);
    const { stdout } = await strongroom(["completion", "fish"]);
    await Deno.writeTextFile(`${directory.path}/completion.fish`, stdout);
    /** What fish offers for a line, without descriptions. */
    const completions = async (line: string) => {
      const command = `source completion.fish; function strongroom; ${LS} $argv; end; ` +
        `complete -C "strongroom ${line}"`;
      const { code, stdout, stderr } = await run("fish", ["--no-config", "-c", command], {
        cwd: directory.path,
        env: { ...server.env, HOME: directory.path },
      });
      assert.deepEqual([code, stderr], [0, ""]);
      return stdout.split("\n").filter((it) => it !== "").map((it) => it.split("\t")[0]);
    };
    assert.deepEqual(await completions("scann"), ["scanners"]);
    assert.deepEqual(await completions("token rev"), ["revoke"]);
    assert.deepEqual(await completions("scan --form"), ["--format"]);
    assert.deepEqual(await completions("scan mod"), ["models/"]);
    assert.deepEqual(await completions("check mod"), []);
    assert.deepEqual(await completions("scan --format ju"), ["junit"]);
    assert.deepEqual(await completions("stat wei"), ["weights/"]);
    assert.deepEqual(await completions("stat weights/fi"), ["weights/first.bin"]);
    assert.deepEqual(await completions("ls --tree 2 of"), ["of-2"]);
    assert.deepEqual(await completions("put a :weights/fi"), [":weights/first.bin"]);
  },
});

Deno.test("C 25 completion names the shells that it knows", async () => {
  for (const args of [[], ["tcsh"], ["bash", "zsh"]]) {
    const { code, stderr } = await strongroom(["completion", ...args]);
    const instead = args.length === 0 ? "" : `, not "${args.join(" ")}"`;
    const message = `strongroom: completion needs one argument: bash, zsh or fish${instead}\n`;
    assert.deepEqual([code, stderr], [2, message]);
  }
});

Deno.test("C 25 the values that are completed are those that commands take", () => {
  const { scan, token, put, get, find } = USAGES;
  assert.deepEqual(scan.values, { "--format": REPORT_FORMATS, "--fail-on": SEVERITIES });
  assert.deepEqual(token.values, { "--privileges": PRIVILEGES });
  for (const { values } of [put, get]) assert.deepEqual(values, { "--on-conflict": CONFLICTS });
  assert.deepEqual(find.values, {
    "--type": ENTRY_TYPES,
    "--kind": SEARCH_KINDS,
    "--sort": SearchSort.options,
    "--verdict": VERDICTS,
  });
});
