import * as assert from "node:assert/strict";
import { ROOT, strongroom } from "../support/child_server.ts";
import { RemoteClient } from "../support/remote_client.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const HOSTILE = `${ROOT}tests/fixtures/models/pickle/hostile/eval.pkl`;
/** Names that a terminal or a runner of CI takes for commands, or that look like others. */
const NAMES = [
  "##[error file=a]b",
  "##[add-mask]c",
  "##vso[task.setvariable variable=a]b",
  "###[group]",
  "##teamcity[testStarted name='a']",
  "::error::d",
  " ::add-mask::e",
  "a ::warning::f",
  "a\u202egnp",
  "b\u200bc",
  "c\u2066d",
  "d\u3164e",
  "\u009b2J",
];

/** What a runner or a terminal would not show but obey. Carriage returns begin the sections of one runner. */
function commandsIn(text: string): string[] {
  return text.split("\n").filter((line) =>
    /^\s*::/.test(line) || /##[\w-]*\[/.test(line) ||
    /[^\P{C}\t]|\p{Default_Ignorable_Code_Point}/u.test(line)
  );
}

/** Fails if anything printed is a command. */
function assertInert(
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
  what: string,
): void {
  assert.deepEqual([...commandsIn(stdout), ...commandsIn(stderr)], [], what);
}

Deno.test("C 25 the report of a scan is no command to a terminal or a runner, in any format", async () => {
  await using directory = await TempDir.make();
  const names = [...NAMES, "e\n::error::f", "g\r::error::h", "h\x1b[2J"];
  for (const name of names) {
    await Deno.copyFile(HOSTILE, `${directory.path}/${name}.pkl`);
    await Deno.writeTextFile(`${directory.path}/${name}.unknown`, "?");
  }
  const scan = async (...args: string[]) => {
    const result = await strongroom(["scan", ...args, directory.path]);
    assert.equal(result.code, 1, result.stderr);
    assertInert(result, args.join(" "));
    return result.stdout;
  };
  const text = await scan("--format", "text");
  assert.match(text, /#\\u0023\[add-mask\]c\.pkl/);
  const json = await scan("--format", "json");
  const expected = names.map((name) => `${directory.path}/${name}.pkl`);
  const paths = JSON.parse(json).assets.map(({ path }: { path: string }) => path);
  assert.deepEqual(expected.filter((it) => !paths.includes(it)), []);
  for (const format of ["sarif", "cyclonedx"]) JSON.parse(await scan("--format", format));
  const junit = await scan("--format", "junit");
  assert.match(junit, /name="[^"]*\/#&#35;\[add-mask\]c\.pkl"/);
  const written = await strongroom([
    "scan",
    "--format",
    "text",
    "--output",
    `${directory.path}/##[error]report`,
    directory.path,
  ]);
  assertInert(written, "--output");
  assertInert(await strongroom(["scan", `${directory.path}/missing\n::error::x`]), "missing");
});

Deno.test("C 25 an error that repeats an argument is no command to a runner", async () => {
  const given = [
    ["::error::x"],
    ["scan", "--format", "\n::error::x"],
    ["check", "##[error]"],
    ["help", "##[add-mask]a"],
    ["token", "--user", "##vso[a]"],
    ["capacity", "--\u202e"],
  ];
  for (const args of given) {
    const result = await strongroom(args);
    assert.notEqual(result.stderr, "");
    assertInert(result, args.join(" "));
  }
});

Deno.test("C 25 what a server names is no command to a terminal or a runner", async () => {
  await using server = await TestServer.start();
  await using home = await TempDir.make();
  // A server has no names with colons and control characters (C 4).
  const names = NAMES.filter((it) => !/[\p{Cc}:]/u.test(it));
  const { status } = await (await server.as(1)).upload(
    "d",
    Object.fromEntries(names.map((it) => [it, "x"])),
  );
  assert.equal(status, 200);
  const client = await RemoteClient.of(server, home.path);
  const [first = ""] = names;
  const commands = [
    ["ls", "-R"],
    ["ls", "-l", "d"],
    ["tree"],
    ["stat", `d/${first}`],
    ["mkdir", "##[error]e", "--json"],
    ["link", `d/${first}`, "--json"],
    ["link", "list"],
    ["get", "d", home.path, "--dry-run"],
    ["rm", "missing ##[error]", "d"],
    ["mv", "d/##[none]", "d/##[error]"],
    ["cp", `d/${first}`, "##[copy]", "--json"],
  ];
  for (const args of commands) {
    for (const more of args.includes("--json") || args[0] === "tree" ? [[]] : [[], ["--json"]]) {
      const result = await client.run([...args, ...more]);
      assert.notEqual(result.stdout + result.stderr, "", args.join(" "));
      assertInert(result, [...args, ...more].join(" "));
    }
  }
  const { stdout } = await client.run(["ls", "-R", "--json"]);
  const listed = stdout.trim().split("\n").map((line) => JSON.parse(line).name);
  assert.deepEqual(names.filter((it) => !listed.includes(it)), []);
});

/** The files of the command line that print by themselves: they escape, or print what has been escaped. */
const PRINTERS = [
  "environment.ts",
  "output.ts",
  "print.ts",
  "print_error.ts",
  "scan/write_report.ts",
];

Deno.test("C 25 no command prints past what makes text inert", async () => {
  const found: string[] = [];
  async function search(directory: string) {
    for await (const { name, isDirectory } of Deno.readDir(`${ROOT}cli/${directory}`)) {
      const path = directory + name;
      if (isDirectory) await search(`${path}/`);
      else if (/\bconsole\.\w+\(/.test(await Deno.readTextFile(`${ROOT}cli/${path}`))) {
        found.push(path);
      }
    }
  }
  await search("");
  assert.deepEqual(found.sort(), PRINTERS);
});
