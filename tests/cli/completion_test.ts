import * as assert from "node:assert/strict";
import { strongroom } from "../support/child_server.ts";
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
];

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
    env: { TERM: "dumb", HOME: directory.path },
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
      `bind 'set enable-bracketed-paste off'; strongroom() { echo "ran""<$*>"; }; . ${script}`,
  },
  {
    shell: ["zsh", "-f", "-i"],
    begin: (script: string) =>
      `autoload -Uz compinit; compinit -u -D; strongroom() { print -r -- "ran""<$*>"; }; . ${script}`,
  },
];

for (const { shell, begin } of SHELLS) {
  Deno.test({
    name: `C 25 ${shell[0]} completes commands, options, subcommands and files`,
    ignore: !hasTerminals || !await hasProgram(shell[0] ?? "", "--version"),
    async fn() {
      assert.deepEqual(await typed(shell, begin), TYPED.map(([, args]) => args));
    },
  });
}

Deno.test({
  name: "C 25 fish completes commands, options, subcommands and files",
  ignore: !await hasProgram("fish", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    await Deno.mkdir(`${directory.path}/models`);
    const { stdout } = await strongroom(["completion", "fish"]);
    await Deno.writeTextFile(`${directory.path}/completion.fish`, stdout);
    /** What fish offers for a line, without descriptions. */
    const completions = async (line: string) => {
      const command = `source completion.fish; complete -C "strongroom ${line}"`;
      const { code, stdout, stderr } = await run("fish", ["--no-config", "-c", command], {
        cwd: directory.path,
        env: { HOME: directory.path },
      });
      assert.deepEqual([code, stderr], [0, ""]);
      return stdout.split("\n").filter((it) => it !== "").map((it) => it.split("\t")[0]);
    };
    assert.deepEqual(await completions("scann"), ["scanners"]);
    assert.deepEqual(await completions("token rev"), ["revoke"]);
    assert.deepEqual(await completions("scan --form"), ["--format"]);
    assert.deepEqual(await completions("scan mod"), ["models/"]);
    assert.deepEqual(await completions("check mod"), []);
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
