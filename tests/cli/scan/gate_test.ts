import * as assert from "node:assert/strict";
import { cycloneDxFaults, sarifFaults } from "../../support/json_schemas.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { reportFaults } from "../../conformance/report_rules.ts";
import { HOSTILE, MODELS, scan, sha256Of, WARNING, workspace } from "./local_scan.ts";

Deno.test("C 25 --fail-on, --strict and --fail-on-unknown decide what counts", async (t) => {
  await using directory = await workspace();
  const cwd = directory.path;
  await Deno.writeTextFile(`${cwd}/info.json`, '{"repository": "http://example.org/x"}');
  for (const name of ["unknown.xyz", "unknown.bin"]) {
    await Deno.writeFile(`${cwd}/${name}`, new Uint8Array(50).fill(0xf3));
  }
  const rows: [number, ...string[]][] = [
    [1, "models"],
    [1, "models", "--fail-on", "critical"],
    [0, "models/config.json", "models/clean.npy", "--fail-on", "critical"],
    [1, "models/config.json", "--fail-on", "warning"],
    [0, "info.json"],
    [1, "info.json", "--fail-on", "info"],
    [0, "unknown.xyz", "models/clean.npy"],
    [1, "unknown.xyz", "--fail-on-unknown"],
    [0, "models/clean.npy", "--fail-on-unknown"],
    // A file that loaders of models open, and that nothing recognizes (C 31).
    [0, "unknown.bin"],
    [1, "unknown.bin", "--strict"],
    [1, "unknown.bin", "--fail-on-unknown"],
    [0, "unknown.xyz", "models/clean.npy", "--strict"],
    [1, "unknown.xyz", "--strict", "--fail-on-unknown"],
    // What could not be read is an error, whatever counts.
    [2, "models", "missing", "--fail-on", "critical"],
    [2, "models", "--fail-on", "serious"],
  ];
  await t.step("C 25 the exit code follows what counts", async () => {
    await Promise.all(rows.map(async ([expected, ...args]) => {
      const { code, stderr } = await scan(args, { cwd });
      assert.equal(code, expected, args.join(" ") + stderr);
    }));
  });
  await t.step("C 25 a file that was not fully read is never clean", async () => {
    const path = `${MODELS}/pickle/truncated.pkl`;
    assert.equal((await scan([path, "--fail-on", "critical"], { cwd })).code, 2);
  });
  await t.step("C 31 text lists what was not recognized", async () => {
    const { stdout } = await scan(["unknown.bin", "--format", "text"], { cwd });
    assert.match(stdout, /1 file not scanned\n +unknown\.bin: Not recognized: the file could not/);
  });
  await t.step("C 25 text lists findings that count", async () => {
    const args = ["info.json", "--format", "text"];
    assert.doesNotMatch((await scan(args, { cwd })).stdout, /^INFO/m);
    assert.match((await scan([...args, "--fail-on", "info"], { cwd })).stdout, /^INFO/m);
  });
});

Deno.test("C 25 --exclude and the directories that are left out by default", async (t) => {
  await using directory = await workspace();
  const cwd = directory.path;
  for (const place of [".git/objects", "node_modules/x", "sub/__pycache__", "sub/.venv/lib"]) {
    await Deno.mkdir(`${cwd}/models/${place}`, { recursive: true });
    await Deno.copyFile(HOSTILE, `${cwd}/models/${place}/bad.pkl`);
  }
  const excludedOf = async (...args: string[]) => {
    const { code, stdout } = await scan(args, { cwd });
    const made = JSON.parse(stdout);
    assert.deepEqual(reportFaults(made), []);
    return { code, files: made.files_scanned, excluded: made.excluded };
  };
  await t.step("C 25 the report names what was left out", async () => {
    const excluded = [
      "models/.git",
      "models/node_modules",
      "models/sub/.venv",
      "models/sub/__pycache__",
    ];
    assert.deepEqual(await excludedOf("models"), { code: 1, files: 3, excluded });
    const { stdout } = await scan(["models", "--format", "text"], { cwd });
    assert.match(stdout, /^4 paths left out\n {2}models\/\.git$/m);
    const sarif = JSON.parse((await scan(["models", "--format", "sarif"], { cwd })).stdout);
    assert.deepEqual(await sarifFaults(sarif), []);
    assert.match(JSON.stringify(sarif.runs[0].invocations), /Not scanned: models\/\.git/);
    const bom = JSON.parse((await scan(["models", "--format", "cyclonedx"], { cwd })).stdout);
    assert.deepEqual(await cycloneDxFaults(bom), []);
    assert.equal(bom.metadata.properties.length, 4);
  });
  await t.step("C 25 --no-default-excludes scans everything", async () => {
    const all = await excludedOf("models", "--no-default-excludes");
    assert.deepEqual(all, { code: 1, files: 7, excluded: undefined });
  });
  await t.step("C 25 a directory that is named is scanned", async () => {
    const named = await excludedOf("models/.git");
    assert.deepEqual(named, { code: 1, files: 1, excluded: undefined });
  });
  await t.step("C 25 --exclude may be repeated", async () => {
    const args = ["--exclude", "*.pkl", "--exclude", "models/config.*"];
    const { code, files, excluded } = await excludedOf("models", ...args);
    assert.deepEqual([code, files], [0, 1]);
    assert.ok(excluded.includes("models/bad.pkl") && excluded.includes("models/config.json"));
  });
  await t.step("C 25 exits with 2 if everything is excluded", async () => {
    assert.equal((await scan(["models", "--exclude", "**/*"], { cwd })).code, 2);
    assert.equal((await scan(["models", "--exclude", "./"], { cwd })).code, 2);
  });
});

Deno.test("C 25 -o writes the report to a file, whole or not at all", async (t) => {
  await using directory = await workspace();
  const cwd = directory.path;
  await t.step("C 25 the former report stays until the new one is complete", async () => {
    await Deno.writeTextFile(`${cwd}/models/report.json`, "former");
    await Deno.chmod(`${cwd}/models/report.json`, 0o640);
    const { code, stdout, stderr } = await scan(["models", "-o", "models/report.json"], { cwd });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^strongroom: 3 files .*1 critical.*; report in models\/report\.json\n$/);
    const made = JSON.parse(await Deno.readTextFile(`${cwd}/models/report.json`));
    assert.deepEqual([made.files_scanned, made.excluded], [3, ["models/report.json"]]);
    assert.equal(((await Deno.stat(`${cwd}/models/report.json`)).mode ?? 0) & 0o777, 0o640);
    assert.deepEqual(
      (await Array.fromAsync(Deno.readDir(`${cwd}/models`))).map(({ name }) => name).sort(),
      ["bad.pkl", "clean.npy", "config.json", "report.json"],
    );
  });
  await t.step("C 25 a report that cannot be written exits with 2 and leaves nothing", async () => {
    await Deno.mkdir(`${cwd}/directory`);
    for (const path of ["missing/report.json", "directory", "/dev/null"]) {
      const { code, stderr } = await scan(["models", "-o", path], { cwd });
      assert.equal(code, 2);
      assert.match(stderr, /^strongroom: .+\n$/);
    }
    assert.ok((await Deno.stat("/dev/null")).isCharDevice);
    const { code } = await scan(["models", "-o", "report.json", "--fail-on", "x"], { cwd });
    assert.equal(code, 2);
    const names = (await Array.fromAsync(Deno.readDir(cwd))).map(({ name }) => name).sort();
    assert.deepEqual(names, ["directory", "models"]);
  });
  await t.step("C 25 a link is kept, and its target replaced", async () => {
    await Deno.writeTextFile(`${cwd}/target.txt`, "former");
    await Deno.symlink("target.txt", `${cwd}/link.txt`);
    await scan(["models", "--format", "text", "-o", "link.txt"], { cwd });
    assert.ok((await Deno.lstat(`${cwd}/link.txt`)).isSymlink);
    assert.match(await Deno.readTextFile(`${cwd}/target.txt`), /^CRITICAL S104/);
  });
});

Deno.test("C 25 --baseline counts and marks new findings only", async (t) => {
  await using directory = await workspace();
  const cwd = directory.path;
  await Deno.copyFile(`${MODELS}/pickle/truncated.pkl`, `${cwd}/models/cut.pkl`);
  await Deno.writeFile(`${cwd}/models/unknown.xyz`, new Uint8Array(50).fill(0xf3));
  assert.equal((await scan(["models", "-o", "base.json"], { cwd })).code, 1);
  const args = ["models", "--baseline", "base.json"];
  const statesOf = (text: string): Record<string, string[]> => {
    const byState: Record<string, string[]> = {};
    for (const { baseline_state, location } of JSON.parse(text).issues) {
      (byState[baseline_state] ??= []).push(location);
    }
    return byState;
  };
  await t.step("C 25 nothing new exits with 0, also for what was not fully read", async () => {
    const { code, stdout } = await scan([...args, "--fail-on-unknown"], { cwd });
    assert.equal(code, 0, stdout);
    assert.deepEqual(reportFaults(JSON.parse(stdout)), []);
    assert.deepEqual(Object.keys(statesOf(stdout)), ["unchanged"]);
  });
  await t.step("C 25 the path of the same content does not matter", async () => {
    const absolute = [`${cwd}/models`, "--baseline", "base.json"];
    assert.equal((await scan(absolute, { cwd })).code, 0);
  });
  await t.step("C 25 a finding that has moved within its file is not new", async () => {
    await Deno.writeTextFile(`${cwd}/models/config.json`, ` \n {"a": 1,${WARNING.slice(1)}`);
    assert.equal((await scan(args, { cwd })).code, 0);
  });
  await t.step("C 25 a new finding counts, is marked, and no other is listed", async () => {
    await Deno.writeTextFile(`${cwd}/models/new.json`, `${WARNING} `);
    const { code, stdout } = await scan(args, { cwd });
    assert.equal(code, 1);
    assert.match(statesOf(stdout)["new"]?.join() ?? "", /^models\/new\.json \(pos \d+\)$/);
    const text = await scan([...args, "--format", "text"], { cwd });
    assert.match(text.stdout, /^WARNING S\d+ .* \(new\)\n {2}models\/new\.json/m);
    assert.doesNotMatch(text.stdout, /bad\.pkl/);
    assert.match(text.stdout, /1 warning, 4 in the baseline/);
    const junit = await scan([...args, "--format", "junit"], { cwd });
    assert.match(junit.stdout, /<testsuites [^>]*failures="1" errors="0"/);
    const sarif = JSON.parse((await scan([...args, "--format", "sarif"], { cwd })).stdout);
    assert.deepEqual(await sarifFaults(sarif), []);
    const states = sarif.runs[0].results.map((it: { baselineState: string }) => it.baselineState);
    assert.deepEqual(states.toSorted(), ["new", ...Array(4).fill("unchanged")]);
    await Deno.remove(`${cwd}/models/new.json`);
  });
  await t.step("C 25 the same critical finding in other content is new", async () => {
    const bytes = await Deno.readFile(`${cwd}/models/bad.pkl`);
    await Deno.writeFile(`${cwd}/models/bad.pkl`, new Uint8Array([...bytes, 0x4e, 0x2e]));
    const { code, stdout } = await scan(args, { cwd });
    assert.equal(code, 1);
    assert.match(statesOf(stdout)["new"]?.join() ?? "", /bad\.pkl/);
  });
  await t.step("C 25 a baseline that is not a report exits with 2", async () => {
    await Deno.writeTextFile(`${cwd}/other.json`, '{"issues": 3}');
    await Deno.writeTextFile(`${cwd}/half.json`, '{"issues": [');
    for (const baseline of ["other.json", "half.json", "missing.json"]) {
      const { code, stdout, stderr } = await scan(["models", "--baseline", baseline], { cwd });
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, new RegExp(`^strongroom: Cannot read the baseline ${baseline}: .+\n$`));
    }
  });
});

Deno.test("C 25 the cache of a model hub is scanned by the names of its links", async (t) => {
  await using directory = await TempDir.make();
  const hub = `${directory.path}/.cache/huggingface/hub`;
  const model = `${hub}/models--acme--model`;
  const sha256 = await sha256Of(HOSTILE);
  for (const path of [`${model}/blobs`, `${model}/refs`, `${model}/snapshots/r1`]) {
    await Deno.mkdir(path, { recursive: true });
  }
  await Deno.mkdir(`${hub}/.locks/models--acme--model`, { recursive: true });
  await Deno.writeTextFile(`${hub}/.locks/models--acme--model/${sha256}.lock`, "");
  await Deno.copyFile(HOSTILE, `${model}/blobs/${sha256}`);
  await Deno.writeTextFile(`${model}/refs/main`, "r1");
  await Deno.symlink(`../../blobs/${sha256}`, `${model}/snapshots/r1/model.pkl`);
  for (const path of [directory.path, hub, model, `${model}/snapshots/r1`]) {
    await t.step(`C 25 ${path.slice(directory.path.length) || "the home directory"}`, async () => {
      const { code, stdout } = await scan([path], { cwd: directory.path });
      const { issues, file_metadata, has_errors } = JSON.parse(stdout);
      assert.deepEqual([code, has_errors], [1, false]);
      const [{ location }] = issues;
      assert.match(location, /\/snapshots\/r1\/model\.pkl \(pos \d+\)$/);
      assert.equal(file_metadata[location.replace(/ \(pos.*/, "")].file_hashes.sha256, sha256);
      const names = Object.keys(file_metadata).map((it) => it.slice(model.length + 1));
      const expected = ["refs/main", "snapshots/r1/model.pkl"];
      assert.deepEqual(names, path.endsWith("r1") ? expected.slice(1) : expected);
    });
  }
});
