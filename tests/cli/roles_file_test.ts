import * as assert from "node:assert/strict";
import { readRoles } from "../../cli/roles_file.ts";
import { UsageError } from "../../cli/usage_error.ts";
import { TempDir } from "../support/temp_dir.ts";

/** What is said of a file of rules, without its path. */
async function complaint(text: string): Promise<string> {
  await using directory = await TempDir.make();
  const path = `${directory.path}/rules.toml`;
  await Deno.writeTextFile(path, text);
  try {
    await readRoles({ dataDir: directory.path, config: path });
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    assert.ok(error.message.startsWith(`Cannot read the rules of "${path}": `), error.message);
    return error.message.slice(`Cannot read the rules of "${path}": `.length);
  }
  return "nothing";
}

Deno.test("C 27 roles are read with short names of privileges, and trees by name or number", async () => {
  await using directory = await TempDir.make();
  const { path: dataDir } = directory;
  assert.equal(await readRoles({ dataDir }), undefined);
  const path = `${dataDir}/strongroom.toml`;
  await Deno.writeTextFile(path, "# no roles yet\n");
  assert.equal(await readRoles({ dataDir }), undefined);
  await Deno.writeTextFile(
    path,
    `[roles."Research & more"]
privileges = ["view", "scans.run", "users.admin"]
trees = { vision = ["view", "scans.view"], 7 = ["upload"] }

[roles.guests]
`,
  );
  const file = await readRoles({ dataDir });
  assert.deepEqual([...file?.roles ?? []], [
    ["Research & more", {
      privileges: ["resources.view", "scans.run", "users.admin"],
      trees: {
        "7": ["resources.upload"],
        vision: ["resources.view", "scans.view"],
      },
    }],
    ["guests", { privileges: [], trees: {} }],
  ]);
  assert.equal(file?.path, path);
  assert.equal(file.lineOfTree("Research & more", "vision"), 3);
});

Deno.test("C 27 what is wrong in a file of rules is said with its line and the reason", async () => {
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    ["[roles.a]\n\nprivileges = [", /^line 3, column 14: /],
    [
      '[roles.a]\n# a comment\nprivileges = [\n  "view",\n  "veiw",\n]\n',
      /^line 3: roles\.a\.privileges\.1: unknown privilege "resources\.veiw"; did you mean resources\.view\?$/,
    ],
    [
      '[roles.a]\nprivileges = ["view"]\n\n[roles.b]\nprivileges = ["fly"]\n',
      /^line 5: roles\.b\.privileges\.0: unknown privilege "resources\.fly"$/,
    ],
    ['[roles.a]\nprivileges = "view"\n', /^line 2: roles\.a\.privileges: expected a list such as/],
    ['[roles.a]\ntrees = { "a b" = [] }\n', /^line 2: roles\.a\.trees\.a b: expected the name or/],
    [
      '[roles.a.trees]\nvision = ["users.admin"]\n',
      /^line 2: roles\.a\.trees\.vision\.0: unknown privilege "users\.admin"$/,
    ],
    ["[roles.a]\nprivileges = []\nprivilege = []\n", /^line 3: roles\.a\.privilege: /],
    ["\n[rules.a]\n", /^line 2: rules: expected \[roles\]$/],
    ["roles = 7\n", /^line 1: roles: expected tables such as \[roles\.research\]$/],
  ];
  for (const [text, message] of cases) assert.match(await complaint(text), message);
  const nowhere = { dataDir: "/nowhere", config: "/nowhere/rules.toml" };
  await assert.rejects(readRoles(nowhere), /"\/nowhere\/rules\.toml": there is no such file$/);
});
