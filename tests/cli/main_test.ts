import * as assert from "node:assert/strict";
import * as jose from "jose";
import * as v from "valibot";
import { LOADERS } from "../../main.ts";
import { CapacityOverview } from "../../schemas/capacity.ts";
import { ChildServer, ROOT, strongroom } from "../support/child_server.ts";
import { Client, refused } from "../support/client.ts";
import { reportFaults } from "../conformance/report_rules.ts";
import { ensureJwtSecret } from "../../storage/disk/jwt_secret.ts";
import { Storage } from "../../storage/stores/storage.ts";
import { cycloneDxFaults, sarifFaults } from "../support/json_schemas.ts";
import { freePort } from "../support/ports.ts";
import { USER_PRIVILEGES } from "../support/server.ts";
import { run } from "../support/tools.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

Deno.test("strongroom without a command, or with an invalid one", async (t) => {
  await t.step("prints the usage", async () => {
    for (const args of [[], ["help"], ["--help"], ["-h"]]) {
      const { code, stdout } = await strongroom(args);
      assert.equal(code, 0);
      assert.match(stdout, /strongroom serve[\s\S]*strongroom token/);
    }
  });
  await t.step("--version prints the version of deno.json", async () => {
    const { version } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
    for (const name of ["--version", "version"]) {
      const { code, stdout } = await strongroom([name]);
      assert.deepEqual([code, stdout], [0, `strongroom ${version}\n`]);
    }
  });
  await t.step("refuses unknown commands and bad arguments in one line", async () => {
    const cases = [["fly"], ["constructor"], ["serve", "--port", "80"], ["token"], ["backup"]];
    await Promise.all(cases.map(async (args) => {
      const { code, stdout, stderr } = await strongroom(args);
      assert.deepEqual([code, stdout], [2, ""], args.join(" "));
      assert.match(stderr, /^strongroom: .+\n$/);
    }));
    // The others are refused by the same lines, without a process for each.
    const others = [
      ["serve", "now"],
      ["token", "--user", "0", "--admin"],
      ["token", "--user", "9007199254740992", "--admin"],
      ["token", "--user", "1"],
      ["token", "--user", "1", "--privileges", ","],
      ["token", "--user", "1", "--privileges", "resources.fly"],
      ["token", "--user", "1", "--admin", "--ttl", "0s"],
      ["token", "--user", "1", "--admin", "--ttl", "soon"],
      ...["", "7", "7=", "=view", "x=view", "07=view", "7=fly", "7=capacity.view", "7=view=edit"]
        .map((tree) => ["token", "--user", "1", "--tree", tree] as const),
      ["token", "--user", "1", "--tree", "7=view", "--tree", "7=edit"],
      ["backup", "--fast", "a"],
      ["restore", "a", "b"],
    ] as const;
    for (const [name, ...args] of others) {
      const command = await LOADERS[name]();
      const isOneLine = ({ message }: Error) => message !== "" && !message.includes("\n");
      await assert.rejects(async () => await command.run(args), isOneLine, args.join(" "));
    }
  });
});

Deno.test("strongroom token", async (t) => {
  await using directory = await TempDir.make();
  const env = { STRONGROOM_DATA_DIR: directory.path };
  const claims = (token: string) => JSON.parse(atob(token.trim().split(".")[1] ?? ""));
  await t.step(
    "C 10 makes neither a data directory nor a secret, and says what to do",
    async () => {
      const missing = { STRONGROOM_DATA_DIR: `${directory.path}/missing` };
      for (const args of [["--user", "1", "--admin"], ["list"], ["revoke", "a"]]) {
        for (const where of [missing, env]) {
          const { code, stdout, stderr } = await strongroom(["token", ...args], where);
          assert.deepEqual([code, stdout], [2, ""]);
          assert.match(
            stderr,
            /^strongroom: No (secret|database) of a server in ".*STRONGROOM_DATA_DIR.*\n$/,
          );
        }
      }
      assert.deepEqual(await Array.fromAsync(Deno.readDir(directory.path)), []);
    },
  );
  // What the first start of a server does.
  await (await Storage.open(directory.path, { reserveMB: 0 }))[Symbol.asyncDispose]();
  await ensureJwtSecret(directory.path);
  await t.step("C 10 has the requested user, privileges and lifetime", async () => {
    const args = ["token", "--user", "7", "--privileges", "resources.view, resources.upload"];
    const { stdout } = await strongroom([...args, "--ttl", "2d"], env);
    const { sub, privileges, iat, exp } = claims(stdout);
    assert.deepEqual([sub, privileges], ["7", ["resources.view", "resources.upload"]]);
    assert.equal(exp - iat, 2 * 86_400);
    const admin = claims((await strongroom(["token", "--user", "7", "--admin"], env)).stdout);
    assert.deepEqual(admin.privileges, ["resources.admin"]);
    assert.equal(admin.exp - admin.iat, 3600);
  });
  await t.step("C 10 is refused if another service holds the key", async () => {
    const jwks = { ...env, STRONGROOM_JWKS_URL: "https://id.example/jwks" };
    assert.equal((await strongroom(["token", "--user", "1", "--admin"], jwks)).code, 2);
  });
  await t.step("C 19 has privileges in the trees of others, which the list shows", async () => {
    const args = ["token", "--user", "3", "--tree", "7=view, download,upload"];
    const claimed = claims((await strongroom([...args, "--tree", "8=scans.view"], env)).stdout);
    assert.deepEqual([claimed.sub, claimed.privileges, claimed.trees], ["3", [], {
      "7": ["resources.view", "resources.download", "resources.upload"],
      "8": ["scans.view"],
    }]);
    const { stdout } = await strongroom(["token", "list"], env);
    const line = stdout.split("\n").find((line) => line.includes(claimed.jti)) ?? "";
    assert.match(
      line,
      /user 3 {2}valid until \S+ {2}tree 7: resources.view,\S+upload {2}tree 8: scans.view$/,
    );
    const json = (await strongroom(["token", "list", "--json"], env)).stdout.trim().split("\n");
    const listed = json.map((line) => JSON.parse(line)).find(({ jti }) => jti === claimed.jti);
    assert.deepEqual(listed.trees, claimed.trees);
    const audit = await Deno.readTextFile(`${directory.path}/audit.log`);
    assert.deepEqual(
      JSON.parse(JSON.parse(audit.trim().split("\n").at(-1) ?? "").trees),
      claimed.trees,
    );
  });
  await t.step("C 31 with --hf is short, and listed by its label and last use", async () => {
    const args = ["token", "--hf", "--user", "12", "--admin", "--label", "npm client"];
    const { stdout } = await strongroom(args, env);
    assert.match(stdout, /^hf_[A-Za-z0-9]{37}\n$/);
    const { stdout: list } = await strongroom(["token", "list"], env);
    assert.match(list, /user 12 {2}valid.* {2}"npm client" {2}hf_…, last used: never/);
    assert.ok(!list.includes(stdout.trim()));
    const json = (await strongroom(["token", "list", "--json"], env)).stdout.trim().split("\n")
      .map((line) => JSON.parse(line)).find(({ label }) => label === "npm client");
    assert.deepEqual(json.short, {});
    const { code } = await strongroom([...args.slice(0, -1), "two\nlines"], env);
    assert.equal(code, 2);
    await using empty = await TempDir.make();
    await ensureJwtSecret(empty.path);
    const elsewhere = { ...env, STRONGROOM_DATA_DIR: empty.path };
    const refused = await strongroom(args, elsewhere);
    assert.deepEqual([refused.code, refused.stdout], [2, ""]);
  });
  await t.step("C 31 all credentials of a user are revoked, up to a time", async () => {
    await strongroom(["token", "--user", "11", "--admin"], env);
    const revoke = async (...args: string[]) =>
      await strongroom(["token", "revoke", "--user", "11", ...args], env);
    const states = async () =>
      (await strongroom(["token", "list"], env)).stdout.match(/user 11 {2}\w+/g);
    const early = await revoke("--before", "2026-01-31T09:00:00+02:00");
    assert.equal(
      early.stdout,
      "Revoked all credentials of user 11 that were issued before 2026-01-31T07:00:00.000Z\n",
    );
    assert.deepEqual(await states(), ["user 11  valid"]);
    assert.match((await revoke()).stdout, /user 11 that were issued before 2/);
    assert.deepEqual(await states(), ["user 11  revoked"]);
    const audit = (await Deno.readTextFile(`${directory.path}/audit.log`)).trim().split("\n");
    const { action, tree, before } = JSON.parse(audit.at(-1) ?? "");
    assert.deepEqual([action, tree, typeof before], ["token.revoke", 11, "string"]);
    for (const wrong of [["--before", "9999-01-01T00:00:00Z"], ["--before", "soon"]]) {
      const { code, stderr } = await revoke(...wrong);
      assert.deepEqual([code, /expected an RFC 3339 time/.test(stderr)], [2, true]);
    }
  });
  await t.step("C 22 is recorded without the token, listed and revoked", async () => {
    const { stdout: token } = await strongroom(["token", "--user", "9", "--admin"], env);
    const { jti } = claims(token);
    const listed = async () => (await strongroom(["token", "list"], env)).stdout.split("\n");
    assert.match(
      (await listed()).find((line) => line.includes(jti)) ?? "",
      /user 9 {2}valid until/,
    );
    const revoked = await strongroom(["token", "revoke", jti], env);
    assert.equal(revoked.stdout, `Revoked ${jti}\n`);
    assert.match((await listed()).find((line) => line.includes(jti)) ?? "", /user 9 {2}revoked/);
    assert.equal((await listed()).filter((line) => line !== "").length, 6);
    const json = await strongroom(["token", "list", "--json"], env);
    assert.ok(json.stdout.trim().split("\n").every((line) => JSON.parse(line).jti));
    assert.equal((await strongroom(["token", "revoke"], env)).code, 2);
    assert.equal((await strongroom(["token", "revoke", jti, "--user", "9"], env)).code, 2);
    const audit = await Deno.readTextFile(`${directory.path}/audit.log`);
    const last = audit.trim().split("\n").map((line) => JSON.parse(line)).slice(-2);
    assert.deepEqual(last.map(({ action, jti }) => [action, jti]), [
      ["token.mint", jti],
      ["token.revoke", jti],
    ]);
    assert.equal(last[0].tree, 9);
    const signature = token.trim().split(".")[2] ?? "";
    for (const { name, isFile } of await Array.fromAsync(Deno.readDir(directory.path))) {
      if (!isFile) continue;
      const bytes = await Deno.readFile(`${directory.path}/${name}`);
      assert.ok(!new TextDecoder("latin1").decode(bytes).includes(signature), name);
    }
  });
});

Deno.test("C 13 strongroom config", async (t) => {
  await t.step("C 13 shows every setting, its value and whether it is the default", async () => {
    const { code, stdout } = await strongroom(["config"], {
      STRONGROOM_PORT: "9999",
      STRONGROOM_JWT_SECRET: "a secret that must not be printed anywhere",
    });
    assert.equal(code, 0);
    assert.match(stdout, /^STRONGROOM_PORT=9999$/m);
    assert.match(stdout, /^STRONGROOM_HOST=127\.0\.0\.1 {2}# default$/m);
    assert.match(stdout, /^STRONGROOM_JWT_SECRET=\*+$/m);
    assert.doesNotMatch(stdout, /must not be/);
  });
  await t.step("C 13 an invalid value prevents the start with one line", async () => {
    for (const command of ["serve", "config", "token"]) {
      const args = command === "token" ? ["token", "--user", "1", "--admin"] : [command];
      const { code, stderr } = await strongroom(args, { STRONGROOM_PORT: "http" });
      assert.equal(code, 2);
      assert.match(stderr, /^strongroom: Invalid STRONGROOM_PORT "http": expected .*0 to 65535\n$/);
    }
  });
  await t.step("C 13 an invalid capacity tunable does not", async () => {
    const { code, stderr } = await strongroom(["config"], { STRONGROOM_DISK_CRITICAL_MB: "lots" });
    assert.equal(code, 0);
    assert.match(stderr, /STRONGROOM_DISK_CRITICAL_MB.*"lots"/);
  });
});

Deno.test("C 15 and C 16 strongroom scan", async (t) => {
  const models = `${ROOT}tests/fixtures/models`;
  await t.step("C 16 prints a report that conforms to SR, and exits by its findings", async () => {
    const rows: [string, number][] = [
      [`${models}/numpy/int8.npy`, 0],
      [`${models}/pickle/hostile/eval.pkl`, 1],
      [`${models}/pickle/truncated.pkl`, 2],
      [`${models}/missing`, 2],
    ];
    await Promise.all(rows.map(async ([path, expected]) => {
      const { code, stdout, stderr } = await strongroom(["scan", path]);
      assert.deepEqual([code, stderr], [expected, ""], path);
      assert.deepEqual(reportFaults(JSON.parse(stdout)), []);
    }));
  });
  await t.step("C 16 warns of nothing in a report of its own", async () => {
    await using directory = await TempDir.make();
    const output = `${directory.path}/report.json`;
    const paths = [`${models}/numpy/int8.npy`, `${models}/safetensors/perceptron.safetensors`];
    await strongroom(["scan", "--format", "json", "-o", output, ...paths]);
    const { file_metadata } = JSON.parse(await Deno.readTextFile(output));
    assert.ok(Object.values(file_metadata).every((it) => JSON.stringify(it).includes('"md5":')));
    const { code, stdout } = await strongroom(["scan", directory.path]);
    assert.deepEqual([code, JSON.parse(stdout).issues], [0, []]);
  });
  await t.step("C 16 scans a whole directory, and reports as text and SARIF", async () => {
    const path = `${models}/pickle/hostile`;
    const { code, stdout } = await strongroom(["scan", "--format", "text", path]);
    assert.equal(code, 1);
    assert.match(stdout, /^CRITICAL S104 [\s\S]*eval\.pkl[\s\S]*Why: [\s\S]*What to do: /m);
    const sarif = await strongroom(["scan", "--format", "sarif", path]);
    assert.equal(sarif.code, 1);
    assert.equal(JSON.parse(sarif.stdout).version, "2.1.0");
  });
  await t.step(
    "C 25 reports as SARIF with lines, JUnit and CycloneDX by their schemas",
    async () => {
      await using directory = await TempDir.make();
      await Deno.writeTextFile(`${directory.path}/c.json`, '{\n"_target_":\n "os.system" }');
      const scan = (format: string) => strongroom(["scan", "--format", format, directory.path]);
      const [sarif, junit, bom] = await Promise.all(["sarif", "junit", "cyclonedx"].map(scan));
      assert.deepEqual([sarif?.code, junit?.code, bom?.code], [1, 1, 1]);
      const log = JSON.parse(sarif?.stdout ?? "");
      assert.deepEqual(await sarifFaults(log), []);
      const [{ physicalLocation: { region } }] = log.runs[0].results[0].locations;
      assert.deepEqual(region, { startLine: 3, byteOffset: 15, byteLength: 0 });
      assert.match(junit?.stdout ?? "", /<failure message="_target_ names/);
      assert.deepEqual(await cycloneDxFaults(JSON.parse(bom?.stdout ?? "")), []);
    },
  );
  await t.step("SR 2.10 analyzes weights with --weights", async () => {
    const path = `${models}/safetensors/perceptron.safetensors`;
    const { stdout } = await strongroom(["scan", "--weights", path]);
    const { file_metadata, scanner_selection } = JSON.parse(stdout);
    assert.equal(file_metadata[path].ml_context.weight_analysis.appears_to_be_weights, true);
    assert.equal(scanner_selection, null);
  });
  await t.step("C 16 runs the selected scanners only, and the report lists them", async () => {
    const path = `${models}/pickle/hostile/eval.pkl`;
    const { stdout } = await strongroom(["scan", "--scanners", "zip,tar", path]);
    const { scanner_selection, issues } = JSON.parse(stdout);
    assert.deepEqual(scanner_selection.enabled_scanner_ids, ["tar", "zip"]);
    assert.ok(scanner_selection.excluded_scanner_ids.includes("pickle"));
    assert.equal(
      issues.some(({ rule_code }: { rule_code?: string }) => rule_code === "S104"),
      false,
    );
  });
  await t.step("refuses unknown options, formats and scanners", async () => {
    for (
      const args of [
        [],
        ["--format", "xml", "x"],
        ["--scanners", "nonsense", "x"],
        ["--scanners", "", "x"],
        ["--fast", "x"],
      ]
    ) {
      const { code, stdout, stderr } = await strongroom(["scan", ...args]);
      assert.deepEqual([code, stdout], [2, ""], args.join(" "));
      assert.match(stderr, /^strongroom: .+\n$/);
    }
  });
  await t.step("C 16 exits with 2 if it cannot start to scan", async () => {
    const args = [
      "run",
      "--no-prompt",
      "--allow-read",
      "--deny-env",
      `${ROOT}main.ts`,
      "scan",
      ROOT,
    ];
    const { code, stderr } = await run(Deno.execPath(), args);
    assert.equal(code, 2, stderr);
  });
  await t.step("C 15 a link is followed, and its name reported", async () => {
    await using directory = await TempDir.make();
    await Deno.symlink(`${models}/pickle/hostile/eval.pkl`, `${directory.path}/linked.pkl`);
    const { code, stdout } = await run(
      Deno.execPath(),
      ["task", "-q", "scan", `${directory.path}/linked.pkl`],
      { cwd: ROOT },
    );
    assert.equal(code, 1, stdout);
    const { assets, files_scanned, has_errors } = JSON.parse(stdout);
    assert.deepEqual([files_scanned, has_errors], [1, false]);
    assert.equal(assets[0].path, `${directory.path}/linked.pkl`);
  });
  await t.step("C 16 a file that is named in two ways counts once", async () => {
    const { code, stdout } = await run(
      Deno.execPath(),
      ["task", "-q", "scan", "README.md", "./README.md", `${ROOT}README.md`, "docs/../README.md"],
      { cwd: ROOT },
    );
    assert.equal(code, 0, stdout);
    const { assets, files_scanned } = JSON.parse(stdout);
    assert.deepEqual([files_scanned, assets.length, assets[0].path], [1, 1, "README.md"]);
  });
  await t.step("the task runs with few permissions", async () => {
    const { code, stdout } = await run(Deno.execPath(), ["task", "-q", "scan", "README.md"], {
      cwd: ROOT,
    });
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).files_scanned, 1);
  });
});

Deno.test("C 14 strongroom capacity", async (t) => {
  await using directory = await TempDir.make();
  const env = {
    STRONGROOM_DATA_DIR: directory.path,
    STRONGROOM_PORT: String(freePort()),
    STRONGROOM_MAX_INSTANCES: "5",
  };
  await t.step("reads the host if no server runs, and leaves no file behind", async () => {
    const { code, stdout, stderr } = await strongroom(["capacity"], env);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Answer +of this command: .*\nLevel +(OK|CAUTION|CRITICAL)/);
    assert.match(stdout, /Leases +unknown/);
    const { stdout: json } = await strongroom(["capacity", "--json"], env);
    assert.equal(v.parse(CapacityOverview, JSON.parse(json)).leases, null);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(directory.path)), []);
  });
  await t.step("works before a server ever ran, and leaves nothing behind", async () => {
    const missing = { ...env, STRONGROOM_DATA_DIR: `${directory.path}/new/data` };
    const commands = [
      strongroom(["capacity", "--json"], missing),
      run(Deno.execPath(), ["task", "-q", "cli", "capacity", "--json"], {
        cwd: ROOT,
        env: missing,
      }),
    ];
    for (const { code, stdout, stderr } of await Promise.all(commands)) {
      assert.deepEqual([code, stderr], [0, ""]);
      assert.ok(v.parse(CapacityOverview, JSON.parse(stdout)).readings.DiskFreeMB > 1);
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(directory.path)), []);
  });
  await t.step("C 13 says which directory cannot be created", async () => {
    const impossible = { ...env, STRONGROOM_DATA_DIR: `${ROOT}main.ts/data` };
    const { code, stderr } = await strongroom(["capacity"], impossible);
    assert.equal(code, 2);
    assert.match(stderr, /^strongroom: Invalid STRONGROOM_DATA_DIR ".*main\.ts.*\n$/);
  });
  await t.step("asks a running server, repeatedly with --watch", async () => {
    await using child = await ChildServer.start({ dataDir: directory.path, env });
    const { stdout: json } = await strongroom(["capacity", "--json"], env);
    const overview = v.parse(CapacityOverview, JSON.parse(json));
    assert.deepEqual(overview.leases?.active, []);
    assert.equal(overview.instances.ceiling, 5);
    assert.equal(JSON.parse(json).answered_by, child.origin);
    const { stdout: text } = await strongroom(["capacity"], env);
    assert.match(text, new RegExp(`^Answer +of the server at ${child.origin}\n`));
    const watching = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", `${ROOT}main.ts`, "capacity", "--watch", "--json"],
      env,
      stdout: "piped",
    }).spawn();
    const lines = watching.stdout.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; text.split("\n").length < 3;) text += (await lines.read()).value ?? "";
    watching.kill("SIGINT");
    await lines.cancel();
    await watching.status;
    const { stderr } = await strongroom(["capacity"], {
      ...env,
      STRONGROOM_JWT_SECRET: "a secret that differs from the server's",
    });
    assert.match(stderr, /^strongroom: Cannot read the capacity of the server at http.*: .*\n$/);
    await child.end("SIGTERM");
    const { code, stdout } = await strongroom(["capacity"], env);
    assert.equal(code, 0);
    assert.match(stdout, /Leases +unknown/);
  });
  await t.step("C 10 does not ask a server whose keys another service holds", async () => {
    const jwks = { ...env, STRONGROOM_JWKS_URL: "http://127.0.0.1:1/jwks" };
    await using child = await ChildServer.start({ dataDir: directory.path, env: jwks });
    const { code, stdout } = await strongroom(["capacity"], jwks);
    assert.equal(code, 0);
    assert.match(stdout, /Leases +unknown/);
    await child.end("SIGTERM");
  });
});

Deno.test("strongroom serve, as users start it", async (t) => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/new/data`;
  await using child = await ChildServer.start({ dataDir });
  const one = await child.as(1);

  await t.step("serves with the printed permissions", async () => {
    const large = new Uint8Array(3_000_000).fill(1);
    assert.equal((await one.upload("d", { large, text: "text ".repeat(50_000) })).status, 200);
    assert.ok((await one.bytes({ path: "d", compression: "auto" })).length < 3_100_000);
    assert.equal((await one.mkdir("d/e")).status, 200);
    assert.equal((await one.upload("d/e", { small: "a few bytes" })).status, 200);
    assert.equal((await fetch(`${child.origin}/readyz`).then((it) => it.json())).status, "success");
  });
  await t.step("C 12 stores everything in the data directory, for its owner only", async () => {
    const names = (await Array.fromAsync(Deno.readDir(dataDir))).map(({ name }) => name).sort();
    assert.deepEqual(names, [
      "audit.log",
      "blobs",
      "jwt.secret",
      "lock",
      "strongroom.db",
      "strongroom.db-shm",
      "strongroom.db-wal",
      "tmp",
      "uploads",
    ]);
    const walk = async (path: string): Promise<void> => {
      const { mode, isDirectory } = await Deno.stat(path);
      const expected = isDirectory ? 0o700 : 0o600;
      assert.equal((mode ?? 0) & 0o777, expected, path);
      if (!isDirectory) return;
      for await (const { name } of Deno.readDir(path)) await walk(`${path}/${name}`);
    };
    await walk(`${dataDir}/blobs`);
    await walk(`${dataDir}/tmp`);
    await walk(`${dataDir}/jwt.secret`);
    assert.equal(((await Deno.stat(dataDir)).mode ?? 0) & 0o777, 0o700);
  });
  await t.step("C 12 a second server names the process that holds the directory", async () => {
    const { code, stderr } = await strongroom(["serve"], {
      STRONGROOM_DATA_DIR: dataDir,
      STRONGROOM_PORT: String(freePort()),
    });
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`in use by process ${child.pid}: only one server`));
  });
  await t.step("C 10 prints once how to get a credential, and prints no secret", async () => {
    const ended = await child.end("SIGTERM");
    assert.deepEqual([ended.code, ended.signal], [0, null]);
    const printed = await child.printed();
    assert.equal(printed.split("strongroom token --user").length, 2);
    assert.doesNotMatch(printed, new RegExp(one.token.split(".")[2] ?? "?"));
    const secret = (await Deno.readTextFile(`${dataDir}/jwt.secret`)).trim();
    assert.equal(printed.includes(secret), false);
  });
  await t.step("leaves the database in one file after an orderly stop", async () => {
    const names = (await Array.fromAsync(Deno.readDir(dataDir))).map(({ name }) => name).sort();
    assert.deepEqual(names, [
      "audit.log",
      "blobs",
      "jwt.secret",
      "lock",
      "strongroom.db",
      "strongroom.db-shm",
      "strongroom.db-wal",
      "tmp",
      "uploads",
    ]);
    assert.equal((await Deno.stat(`${dataDir}/strongroom.db-wal`)).size, 0);
  });
  await t.step("C 12 a check and a start warn of a directory that others may use", async () => {
    const check = () => strongroom(["check"], { STRONGROOM_DATA_DIR: dataDir });
    assert.equal((await check()).stderr, "");
    await Deno.chmod(dataDir, 0o777);
    const { code, stderr } = await check();
    assert.deepEqual([code, stderr.includes("has mode 777")], [0, true], stderr);
  });
  await t.step("C 5.6 finds the stored content at the next start", async () => {
    await using again = await ChildServer.start({ dataDir });
    assert.match(again.log, /has mode 777, which lets other users in: expected 700/);
    const client = new Client(again.origin + "/api/v1", one.token);
    assert.equal((await client.bytes({ path: "d/large" })).length, 3_000_000);
    refused(await client.upload("d", { large: "x" }), 409, "ErrResourcesAlreadyExists");
    const ended = await again.end("SIGINT");
    assert.equal(ended.code, 0);
  });
});

Deno.test("a second signal stops the server immediately", async () => {
  await using directory = await TempDir.make();
  await using child = await ChildServer.start({ dataDir: directory.path });
  const one = await child.as(1, [...USER_PRIVILEGES, "resources.admin"]);
  // A stalled upload keeps the server from stopping.
  const abort = new AbortController();
  const upload = one.fetch("/resources/", {
    method: "POST",
    body: new ReadableStream({ start: (it) => it.enqueue(new TextEncoder().encode("--boundary")) }),
    headers: { "Content-Type": "multipart/form-data; boundary=boundary" },
    signal: abort.signal,
  }).catch(() => undefined);
  const authorization = { headers: { Authorization: `Bearer ${one.token}` } };
  await until(async () => {
    const metrics = await fetch(`${child.origin}/metrics`, authorization);
    return /^strongroom_http_requests_in_flight 2$/m.test(await metrics.text());
  });
  Deno.kill(child.pid, "SIGTERM");
  let refusal: number | undefined;
  while (refusal !== 503) refusal = (await one.list()).status;
  const ended = await child.end("SIGTERM");
  assert.equal(ended.code, 130);
  abort.abort();
  await upload;
});

Deno.test("C 13 a setting that names an unusable file or port prevents the start with one line", async () => {
  await using directory = await TempDir.make();
  await Deno.writeTextFile(`${directory.path}/file`, "not PEM");
  const { publicKey } = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 1024,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    },
    true,
    ["sign", "verify"],
  );
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)).toBase64();
  const short = `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`;
  await Deno.writeTextFile(`${directory.path}/short.pem`, short);
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const cases: [string, string][] = [
    ["JWT_PUBLIC_KEY", `${directory.path}/missing`],
    ["JWT_PUBLIC_KEY", `${directory.path}/file`],
    ["JWT_PUBLIC_KEY", `${directory.path}/short.pem`],
    ["DATA_DIR", `${directory.path}/file`],
    ["PORT", String(taken.addr.port)],
  ];
  for (const [name, value] of cases) {
    const { code, stderr } = await strongroom(["serve"], {
      STRONGROOM_DATA_DIR: `${directory.path}/data`,
      STRONGROOM_PORT: "0",
      STRONGROOM_LOG_LEVEL: "error",
      [`STRONGROOM_${name}`]: value,
    });
    const lines = stderr.trim().split("\n");
    assert.deepEqual([code, lines.length], [2, 1], stderr);
    assert.ok(lines[0]?.includes(name) && lines[0].includes(value), stderr);
    assert.match(lines[0] ?? "", /: expected /);
  }
});

Deno.test("C 10 an outage of the key server is 503, and /readyz says so", async () => {
  await using directory = await TempDir.make();
  const { publicKey, privateKey } = await jose.generateKeyPair("ES256", { extractable: true });
  const jwk = { ...await jose.exportJWK(publicKey), kid: "a" };
  const mint = (kid: string) =>
    new jose.SignJWT({ privileges: ["resources.view"] }).setProtectedHeader({ alg: "ES256", kid })
      .setSubject("1").setExpirationTime("1h").sign(privateKey);
  const keyPort = freePort();
  const startKeys = () =>
    Deno.serve(
      { hostname: "127.0.0.1", port: keyPort, onListen() {} },
      () => Response.json({ keys: [null, { kty: "EC" }, jwk] }),
    );
  await using child = await ChildServer.start({
    dataDir: directory.path,
    env: { STRONGROOM_JWKS_URL: `http://127.0.0.1:${keyPort}/jwks` },
  });
  const withKey = async (kid: string) => new Client(`${child.origin}/api/v1`, await mint(kid));
  const known = await withKey("a");
  const ready = async () => {
    const response = await fetch(`${child.origin}/readyz`);
    return [response.status, await response.text()] as const;
  };
  refused(await known.list(), 503, "ErrUnavailable");
  const [status, text] = await ready();
  assert.equal(status, 503);
  assert.match(text, /"code":"ErrUnavailable","msg":"Server not ready: keys"/);
  const keys = startKeys();
  await until(async () => (await ready())[0] === 200);
  assert.equal((await known.list()).status, 200);
  await keys.shutdown();
  assert.equal((await known.list()).status, 200);
  refused(await (await withKey("unknown")).list(), 401, "ErrAuthRequired");
  await child.end("SIGTERM");
});

Deno.test("C 22 a running server refuses a credential as soon as it is revoked", async () => {
  await using directory = await TempDir.make();
  const env = { STRONGROOM_DATA_DIR: directory.path };
  await using child = await ChildServer.start({ dataDir: directory.path });
  const minted = await strongroom(["token", "--user", "1", "--privileges", "resources.view"], env);
  const client = new Client(`${child.origin}/api/v1`, minted.stdout.trim());
  assert.equal((await client.list()).status, 200);
  const { stdout } = await strongroom(["token", "list", "--json"], env);
  const { code } = await strongroom(["token", "revoke", JSON.parse(stdout).jti], env);
  assert.equal(code, 0);
  assert.equal((await client.list()).status, 401);
  assert.equal((await (await child.as(1)).list()).status, 200);
  await child.end("SIGTERM");
});

Deno.test("C 10 a secret is replaced while former credentials stay valid", async () => {
  await using directory = await TempDir.make();
  const [former, latest] = ["former secret ".repeat(3), "latest secret ".repeat(3)];
  const env = { STRONGROOM_JWT_SECRET: latest, STRONGROOM_JWT_SECRET_PREVIOUS: former };
  await using child = await ChildServer.start({ dataDir: directory.path, env });
  const tokens = await Promise.all([former, latest].map(async (secret) => {
    const args = ["token", "--user", "1", "--privileges", "resources.view"];
    return (await strongroom(args, { STRONGROOM_JWT_SECRET: secret })).stdout.trim();
  }));
  for (const token of tokens) {
    assert.equal((await new Client(`${child.origin}/api/v1`, token).list()).status, 200);
  }
  const { stdout } = await strongroom(["token", "--user", "1", "--admin"], env);
  const verify = (secret: string) =>
    jose.jwtVerify(stdout.trim(), new TextEncoder().encode(secret));
  await verify(latest);
  await assert.rejects(verify(former));
  const config = await strongroom(["config"], env);
  assert.match(config.stdout, /^STRONGROOM_JWT_SECRET_PREVIOUS=\*+$/m);
  assert.doesNotMatch(config.stdout, /former|latest/);
  await child.end("SIGTERM");
});
