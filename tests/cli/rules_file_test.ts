import * as assert from "node:assert/strict";
import { readPolicy } from "../../cli/policy/read_policy.ts";
import { readRules } from "../../cli/rules_file.ts";
import { UsageError } from "../../cli/usage_error.ts";
import { signatureFile } from "../support/signatures.ts";
import { TempDir } from "../support/temp_dir.ts";

/** What is said of a file of rules, without its path. */
async function complaint(text: string): Promise<string> {
  await using directory = await TempDir.make();
  const path = `${directory.path}/rules.toml`;
  await Deno.writeTextFile(path, text);
  try {
    await readRules({ dataDir: directory.path, config: path });
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
  assert.equal(await readRules({ dataDir }), undefined);
  const path = `${dataDir}/strongroom.toml`;
  await Deno.writeTextFile(path, "# no roles yet\n");
  assert.equal((await readRules({ dataDir }))?.roles, undefined);
  await Deno.writeTextFile(
    path,
    `[roles."Research & more"]
privileges = ["view", "scans.run", "users.admin"]
trees = { vision = ["view", "scans.view"], 7 = ["upload"] }

[roles.guests]
`,
  );
  const file = await readRules({ dataDir });
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
    ["\n[rules.a]\n", /^line 2: rules: expected \[roles\], \[policy\] or \[signatures\]$/],
    ["roles = 7\n", /^line 1: roles: expected tables such as \[roles\.research\]$/],
  ];
  for (const [text, message] of cases) assert.match(await complaint(text), message);
  const nowhere = { dataDir: "/nowhere", config: "/nowhere/rules.toml" };
  await assert.rejects(readRules(nowhere), /"\/nowhere\/rules\.toml": there is no such file$/);
});

Deno.test("C 28 what is wrong in a policy is said with its line, the value and what is expected", async () => {
  const rule = '[[policy.rule]]\nname = "a"\ndeny = "No"\n';
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    ["policy = 1\n", /^line 1: policy: expected a table, not 1$/],
    [
      '[policy]\ndefault = "no"\n',
      /^line 2: policy\.default: expected "allow" or "deny", not "no"$/,
    ],
    ["[policy]\nuploads = true\n", /^line 2: policy\.uploads: expected default, or rules in/],
    ['\n[[policy.rule]]\ndeny = "No"\n', /^line 2: policy\.rule\.0: a rule needs a name, such as/],
    [
      '[[policy.rule]]\nname = "a b"\ndeny = "No"\n',
      /^line 2: policy\.rule\.0\.name: expected up to 64 letters, .* not "a b"$/,
    ],
    [
      '[[policy.rule]]\nname = "default"\ndeny = "No"\n',
      /^line 2: policy\.rule\.0\.name: "default" is the name of what no rule decides$/,
    ],
    [
      '[[policy.rule]]\nname = "a"\n',
      /^line 1: policy\.rule\.0: expected either allow or deny, with words for people$/,
    ],
    [
      `${rule}allow = "Yes"\n`,
      /^line 1: policy\.rule\.0: expected either allow or deny, with words for people$/,
    ],
    [
      '[[policy.rule]]\nname = "a"\ndeny = ""\n',
      /^line 3: policy\.rule\.0\.deny: expected a text$/,
    ],
    [`${rule}\n${rule}`, /^line 5: policy\.rule\.1: another rule has the name "a"$/],
    [`${rule}colour = "red"\n`, /^line 4: policy\.rule\.0\.colour: no rule has this$/],
    [
      `${rule}verdict = "clen"\n`,
      /^line 4: policy\.rule\.0\.verdict: expected one of clean, .*, not "clen"$/,
    ],
    [
      `${rule}format = [\n  "gguf",\n  "pikle",\n]\n`,
      /^line 4: policy\.rule\.0\.format\.1: expected one of pickle, .*unknown, not "pikle"$/,
    ],
    [`${rule}format = []\n`, /^line 4: policy\.rule\.0\.format: expected a text or a list/],
    [`${rule}file = 7\n`, /^line 4: policy\.rule\.0\.file: expected a text$/],
    [
      `${rule}repository = "a/b/c"\n`,
      /^line 4: policy\.rule\.0\.repository: expected a pattern such as "google\/\*", not "a\/b\/c"$/,
    ],
    [
      `${rule}larger_than = "much"\n`,
      /^line 4: policy\.rule\.0\.larger_than: expected a size such as "5GiB", not "much"$/,
    ],
    [
      `${rule}younger_than = "a week"\n`,
      /^line 4: policy\.rule\.0\.younger_than: expected a duration such as "7d", not "a week"$/,
    ],
    [`${rule}remote_code = "yes"\n`, /^line 4: policy\.rule\.0\.remote_code: expected true or/],
    [
      `${rule}uploads = true\nlicense = "mit"\n`,
      /^line 5: policy\.rule\.0\.license: uploads have none: a rule with it cannot have uploads/,
    ],
  ];
  for (const [text, message] of cases) assert.match(await complaint(text), message, text);
});

Deno.test("C 27 a file has roles for 1 000 teams, and what is wrong in one of them has its line", async () => {
  const role = (team: number, tree = `team-${team}`) =>
    `[roles.team-${team}]\nprivileges = ["view"]\ntrees = { ${tree} = [\n  "view",\n  "download",\n] }\n`;
  const all = (...given: Parameters<typeof role>[]) => given.map((it) => role(...it)).join("");
  const teams = Array.from({ length: 1000 }, (_, team): [number] => [team]);
  await using directory = await TempDir.make();
  await Deno.writeTextFile(`${directory.path}/strongroom.toml`, all(...teams));
  const file = await readRules({ dataDir: directory.path });
  assert.equal(file?.roles?.size, 1000);
  for (const team of [0, 1, 498, 999]) {
    assert.equal(file?.lineOfTree(`team-${team}`, `team-${team}`), 6 * team + 3);
  }
  const wrong = await complaint(all(...teams.slice(0, 700), [700, '"a b"'], ...teams.slice(701)));
  assert.match(wrong, /^line 4203: roles\.team-700\.trees\.a b: expected the name/);
});

Deno.test("C 29 what is wrong with a signer is said with its line", async () => {
  const key = JSON.stringify(await signatureFile("p256.pub"));
  const signer = `[signatures.release]\nkey = ${key}\n`;
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    ["signatures = 1\n", /^line 1: signatures: expected tables such as \[signatures\.release\]$/],
    ['[signatures.a]\nkey = "x"\n', /^line 2: signatures\.a\.key: expected a public key of/],
    [`${signer}hue = 1\n`, /^line 3: signatures\.release\.hue: no signer has this$/],
  ];
  for (const [text, message] of cases) assert.match(await complaint(text), message, text);
  await using directory = await TempDir.make();
  const read = async (rule: string, gate: "off" | "block" = "block") => {
    await Deno.writeTextFile(`${directory.path}/strongroom.toml`, rule);
    return await readPolicy({ dataDir: directory.path, gate });
  };
  const rule = (condition: string) =>
    `[[policy.rule]]\nname = "a"\ndeny = "No"\nuploads = true\n${condition}\n`;
  assert.deepEqual((await read(signer + rule('signed_by = "release"')))?.signers?.names, [
    "release",
  ]);
  await assert.rejects(
    read(signer + rule('signed_by = "other"')),
    /line 7: policy\.rule\.0\.signed_by: \[signatures\] has no signer "other"$/,
  );
  await assert.rejects(
    read(rule('signature = "invalid"')),
    /line 5: policy\.rule\.0\.signature: \[signatures\] has no signer$/,
  );
  await assert.rejects(
    read(signer + rule('signature = "invalid"'), "off"),
    /line 7: policy\.rule\.0\.signature: it is known of stored files alone: set STRONGROOM_GATE=/,
  );
});
