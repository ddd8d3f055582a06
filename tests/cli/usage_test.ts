import * as assert from "node:assert/strict";
import { usageOf } from "../../cli/help.ts";
import { USAGES } from "../../cli/usage.ts";
import { ROOT, strongroom } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";

Deno.test("C 25 each command has help with examples, in two ways", async () => {
  const { stdout: overview } = await strongroom(["help"]);
  for (const command of Object.keys(USAGES)) {
    assert.match(overview, new RegExp(`^  strongroom ${command} `, "m"));
    const text = usageOf(command);
    assert.match(
      text,
      new RegExp(`\nUsage:\n  strongroom ${command}[\\s\\S]*\nExamples:\n  \\S`),
    );
    assert.ok(text.split("\n").every((line) => line.length <= 110), text);
  }
  for (const command of ["scan", "rm"]) {
    for (const args of [["help", command], [command, "--help"]]) {
      const { code, stdout } = await strongroom(args);
      assert.deepEqual([code, stdout], [0, `${usageOf(command)}\n`], args.join(" "));
    }
  }
  const { code, stderr } = await strongroom(["help", "sacn"]);
  assert.deepEqual([code, stderr], [2, 'strongroom: Unknown command "sacn"; did you mean scan?\n']);
});

Deno.test("C 25 a mistyped command, option or privilege names the nearest one", async () => {
  const cases: [string[], string][] = [
    [["chekc"], 'Unknown command "chekc"; did you mean check?; try strongroom help'],
    [["fly"], 'Unknown command "fly"; try strongroom help'],
    [["scan", "--fromat", "text", "."], "Unknown option --fromat; did you mean --format?"],
    [["check", "--reed-data"], "Unknown option --reed-data; did you mean --read-data?"],
    [["capacity", "--quickly"], "Unknown option --quickly"],
    [["config", "--json"], "Unknown option --json: this command takes none"],
    [["permissions", "now"], "Unknown argument now: this command takes none"],
    [
      ["token", "--user", "1", "--privileges", "resource.view"],
      'Unknown privilege "resource.view" in --privileges; did you mean resources.view?',
    ],
  ];
  await Promise.all(cases.map(async ([args, message]) => {
    const { code, stdout, stderr } = await strongroom(args);
    assert.deepEqual([code, stdout, stderr], [2, "", `strongroom: ${message}\n`]);
  }));
});

Deno.test("C 22 an unknown STRONGROOM_ variable is a warning that names the closest one", async () => {
  const { code, stderr } = await strongroom(["config"], {
    STRONGROOM_DATADIR: "/srv",
    STRONGROOM_RAM_CAUTION_MV: "1",
    STRONGROOM_X: "",
    STRONGROOM_TOKEN: "for clients",
  });
  assert.equal(code, 0);
  assert.deepEqual(stderr.trim().split("\n"), [
    "strongroom: Unknown setting STRONGROOM_DATADIR; did you mean STRONGROOM_DATA_DIR?",
    "strongroom: Unknown setting STRONGROOM_RAM_CAUTION_MV; did you mean STRONGROOM_RAM_CAUTION_MB?",
    "strongroom: Unknown setting STRONGROOM_X",
  ]);
  // A server logs it.
  const server = await strongroom(["serve"], {
    STRONGROOM_DATADIR: "/srv",
    STRONGROOM_DATA_DIR: `${ROOT}main.ts`,
    STRONGROOM_PORT: "0",
  });
  assert.match(server.stderr, /^{.*"warn".*did you mean STRONGROOM_DATA_DIR\?"}\n/);
});

Deno.test("C 13 each command refuses a bad data directory with its variable and the reason", async () => {
  await using directory = await TempDir.make();
  const file = `${directory.path}/file`;
  await Deno.writeTextFile(file, "");
  const commands = [["serve"], ["token", "--user", "1", "--admin"], ["token", "list"], ["check"]]
    .concat([["capacity"], ["backup", `${directory.path}/b`], ["restore", `${directory.path}/b`]]);
  // No process may create a directory in /sys, whoever runs it.
  const cases: (readonly [string[], string, string])[] = [
    ...commands.map((args) => [args, file, "(not a directory|file exists)"] as const),
    ...commands.map((args) => [args, `${file}/data`, "not a directory"] as const),
    [["serve"], "/sys/data", "(operation not permitted|permission denied.*)"],
  ];
  await Promise.all(cases.map(async ([args, place, reason]) => {
    const { code, stderr } = await strongroom(args, {
      STRONGROOM_DATA_DIR: place,
      STRONGROOM_PORT: "0",
    });
    const line =
      `^strongroom: Invalid STRONGROOM_DATA_DIR "${place}": expected .* \\(${reason}\\)\n$`;
    assert.deepEqual([code, new RegExp(line).test(stderr)], [2, true], `${args}: ${stderr}`);
  }));
});
