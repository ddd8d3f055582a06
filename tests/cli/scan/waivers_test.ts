import * as assert from "node:assert/strict";
import { readWaivers } from "../../../cli/scan/waivers.ts";
import { cycloneDxFaults, sarifFaults } from "../../support/json_schemas.ts";
import { reportFaults } from "../../conformance/report_rules.ts";
import { MODELS, scan, sha256Of, workspace } from "./local_scan.ts";

Deno.test("C 25 strongroom.toml waives findings", async (t) => {
  await using directory = await workspace();
  const cwd = directory.path;
  const waive = (text: string, path = "strongroom.toml") =>
    Deno.writeTextFile(`${cwd}/${path}`, text.replaceAll("|", "\n"));
  const critical = "[[waiver]]|rule = 'S104'|path = 'models/*.pkl'|reason = 'reviewed'|";
  const sha256 = await sha256Of(`${cwd}/models/bad.pkl`);
  const args = ["models", "--fail-on", "critical"];

  await t.step("C 25 by rule and path, with a reason in every format", async () => {
    await waive(`${critical}expires_at = 2999-01-31|`);
    const { code, stdout, stderr } = await scan(args, { cwd });
    assert.deepEqual([code, stderr], [0, ""], stdout);
    const made = JSON.parse(stdout);
    assert.deepEqual(reportFaults(made), []);
    const waived = made.issues.find((it: { waiver?: unknown }) => it.waiver);
    assert.deepEqual(waived.waiver, { reason: "reviewed", expires_at: "2999-01-31" });
    assert.deepEqual(made.waivers.map((it: { state: string }) => it.state), ["used"]);
    const sarif = JSON.parse((await scan([...args, "--format", "sarif"], { cwd })).stdout);
    assert.deepEqual(await sarifFaults(sarif), []);
    assert.match(JSON.stringify(sarif.runs[0].results), /"justification":"reviewed"/);
    const bom = JSON.parse((await scan([...args, "--format", "cyclonedx"], { cwd })).stdout);
    assert.deepEqual(await cycloneDxFaults(bom), []);
    assert.match(JSON.stringify(bom.vulnerabilities), /"detail":"reviewed"/);
    const text = (await scan([...args, "--format", "text"], { cwd })).stdout;
    assert.match(text, /1 warning, 1 waived/);
    const junit = (await scan([...args, "--format", "junit"], { cwd })).stdout;
    assert.match(junit, /<testsuites [^>]*failures="0" errors="0"/);
  });
  await t.step("C 25 by SHA-256, the content whole or one rule of it", async () => {
    for (const rule of ["", "rule = 'S104'|"]) {
      await waive(`[[waiver]]|sha256 = '${sha256.toUpperCase()}'|${rule}reason = 'r'|`);
      assert.equal((await scan(args, { cwd })).code, 0);
    }
    await waive(`[[waiver]]|sha256 = '${sha256}'|rule = 'S101'|reason = 'r'|`);
    assert.equal((await scan(args, { cwd })).code, 1);
    const cut = `${MODELS}/pickle/truncated.pkl`;
    await waive(`[[waiver]]|sha256 = '${await sha256Of(cut)}'|reason = 'known to be cut'|`);
    assert.equal((await scan([cut], { cwd })).code, 0);
  });
  await t.step("C 25 another rule or path is not waived", async () => {
    await waive(critical.replace("S104", "S101"));
    assert.equal((await scan(args, { cwd })).code, 1);
    await waive(critical.replace("models/*.pkl", "other/*.pkl"));
    const { code, stdout } = await scan([...args, "--format", "text"], { cwd });
    assert.equal(code, 1);
    assert.match(stdout, /^1 unused waiver\n {2}S104 other\/\*\.pkl: reviewed$/m);
  });
  await t.step("C 25 an expired waiver counts no more, and is reported", async () => {
    for (const date of ["2025-01-31", "2025-01-31T10:00:00Z", "'2025-01-31'"]) {
      await waive(`${critical}expires_at = ${date}|`);
      const { code, stdout } = await scan([...args, "--format", "text"], { cwd });
      assert.equal(code, 1, date);
      assert.match(stdout, /^1 expired waiver\n {2}S104 models\/\*\.pkl: reviewed \(until 2025/m);
    }
    const { stdout } = await scan(args, { cwd });
    assert.equal(JSON.parse(stdout).waivers[0].state, "expired");
  });
  await t.step("C 25 a waiver holds until the end of its last day", async () => {
    const today = new Date().toISOString().slice(0, 10);
    await waive(`${critical}expires_at = ${today}|`);
    assert.equal((await scan(args, { cwd })).code, 0);
  });
  await t.step("C 25 a file among what is scanned is read only if it is named", async () => {
    await waive(critical);
    const inside = await scan([".", "--fail-on", "critical"], { cwd });
    assert.equal(inside.code, 1);
    assert.match(inside.stderr, /strongroom\.toml is not read.*--config strongroom\.toml/);
    await Deno.symlink(".", `${cwd}/around`);
    assert.equal((await scan(["around", "--fail-on", "critical"], { cwd })).code, 1);
    await Deno.remove(`${cwd}/around`);
    const named = [".", "--fail-on", "critical", "--config", "strongroom.toml"];
    assert.equal((await scan(named, { cwd })).code, 0);
    await Deno.rename(`${cwd}/strongroom.toml`, `${cwd}/models/strongroom.toml`);
    assert.equal((await scan(args, { cwd })).code, 1);
  });
  await t.step("C 25 paths count from the directory of the file", async () => {
    await Deno.mkdir(`${cwd}/conf`);
    await waive(critical.replace("models/*.pkl", "/../models/bad.pkl"), "conf/w.toml");
    assert.equal((await scan([...args, "--config", "conf/w.toml"], { cwd })).code, 0);
  });
  await t.step("C 25 a faulty file exits with 2 and names the fault", async () => {
    const faults: [string, RegExp][] = [
      ["[[waiver]]|reason = 'r'|", /waiver\.0: expected sha256, or rule and path/],
      ["[[waiver]]|rule = 'S104'|reason = 'r'|", /expected sha256, or rule and path/],
      ["[[waiver]]|rule = 'S104'|path = '*'|", /waiver\.0\.reason/],
      ["[[waiver]]|rule = 'S104'|path = '*'|reason = ' '|", /waiver\.0\.reason: expected a text/],
      ["[[waiver]]|rule = 'S9999'|path = '*'|reason = 'r'|", /expected a rule such as S104/],
      [`${critical}expires_at = 'soon'|`, /waiver\.0\.expires_at: expected a date/],
      [`${critical}expires_at = 2025-13-45|`, /Cannot read the waivers/],
      [`${critical}until = 2025-01-01|`, /until/],
      ["[[waiver]]|sha256 = 'abc'|reason = 'r'|", /expected 64 hex digits/],
      ["[[waivers]]|", /waivers/],
      ["[[waiver|", /Cannot read the waivers of .*bad\.toml: line 1, column 9: Invalid TOML/],
      [`${critical}|# more|path = oops|`, /bad\.toml: line 7, column 1: Invalid TOML/],
      [`${critical}|[[waiver]]|rule = 'S104'|`, /bad\.toml: line 6: waiver\.1/],
    ];
    for (const [text, fault] of faults) {
      await waive(text, "bad.toml");
      await assert.rejects(readWaivers(`${cwd}/bad.toml`), ({ message }: Error) => {
        assert.match(message, fault);
        return !message.includes("\n");
      });
    }
    const { code, stdout, stderr } = await scan(["models", "--config", "bad.toml"], { cwd });
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^strongroom: .+waiver\.1.*\n$/);
    assert.equal((await scan(["models", "--config", "missing.toml"], { cwd })).code, 2);
  });
});
