import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";

const SYSTEM = "--allow-sys=statfs,loadavg,systemMemoryInfo";
/** The programs of the package. */
const PROGRAMS: readonly string[] = ["main.js", "cli/light/main.js", "cli/light/scan.js"];
/** What the runtime gets that a test puts into the place of the real one. */
const PRINT_ARGUMENTS = "#!/bin/sh\nprintf '%s\\n' \"$@\"\n";

/** A package whose runtime prints its arguments, with a link to its command as npm makes one. */
async function fakePackage(parent: string): Promise<string> {
  const modules = `${parent}/lib/node_modules`;
  await Deno.mkdir(`${modules}/strongroom/bin`, { recursive: true });
  await Deno.mkdir(`${modules}/strongroom/lib/cli/light`, { recursive: true });
  await Deno.mkdir(`${modules}/deno`);
  await Deno.mkdir(`${modules}/@deno/linux-x64-glibc`, { recursive: true });
  await Deno.mkdir(`${parent}/bin`);
  await Deno.copyFile(`${ROOT}packaging/strongroom`, `${modules}/strongroom/bin/strongroom`);
  for (const name of PROGRAMS) {
    await Deno.writeTextFile(`${modules}/strongroom/lib/${name}`, "");
  }
  const runtime = `${modules}/@deno/linux-x64-glibc/deno`;
  await Deno.writeTextFile(runtime, PRINT_ARGUMENTS, { mode: 0o755 });
  await Deno.symlink("../lib/node_modules/strongroom/bin/strongroom", `${parent}/bin/strongroom`);
  return `${modules}/strongroom/lib`;
}

Deno.test("C 25 the command gives the runtime the permissions that the command needs", async (t) => {
  await using directory = await TempDir.make();
  const parent = await Deno.realPath(directory.path) + "/a b $HOME";
  const lib = await fakePackage(parent);
  const cwd = await Deno.makeTempDir({ dir: directory.path });
  const real = await Deno.realPath(cwd);
  await Deno.mkdir(`${cwd}/real $x`);
  await Deno.symlink("real $x", `${cwd}/link`);
  const flags = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { code, stdout, stderr } = await run(`${parent}/bin/strongroom`, args, { cwd, env });
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.trimEnd().split("\n");
    const main = lines.findIndex((it) => PROGRAMS.some((name) => it === `${lib}/${name}`));
    assert.deepEqual(lines.slice(main + 1), args);
    return lines.slice(0, main).filter((it) => it.startsWith("--allow"));
  };
  const data = (path: string, whole: string, more = "") => [
    "--allow-env",
    SYSTEM,
    `--allow-read=${lib},${path},${whole}${more}`,
    `--allow-write=${path},${whole}`,
  ];

  await t.step("C 25 help needs none", async () => {
    for (const args of [["help"], ["--version"], ["rules", "S104"], ["scanners"]]) {
      assert.deepEqual(await flags(args), []);
    }
  });
  await t.step(
    "C 14 nothing is denied to a scan, which reads the limits of its container",
    async () => {
      const denials = async (...args: string[]) => {
        const { stdout } = await run(`${parent}/bin/strongroom`, args, { cwd });
        return stdout.split("\n").filter((it) => it.startsWith("--deny"));
      };
      assert.deepEqual(await denials("scan", "model.pkl"), []);
      assert.deepEqual(await denials("put", "model.pkl", "models"), ["--deny-import"]);
    },
  );
  await t.step("C 25 paths count from the directory of the caller, through links too", async () => {
    assert.deepEqual(await flags(["token", "list"]), data("./data", `${real}/data`));
    const link = { STRONGROOM_DATA_DIR: "link" };
    assert.deepEqual(await flags(["check"], link), data("./link", `${real}/real $x`));
    const missing = { STRONGROOM_DATA_DIR: "link/new/data" };
    assert.deepEqual(
      await flags(["token", "--user", "1"], missing),
      data("./link/new/data", `${real}/real $x/new/data`),
    );
    const config = await flags(["config"], link);
    assert.deepEqual(config, ["--allow-env", SYSTEM, `--allow-read=./link,${real}/real $x`]);
  });
  await t.step("C 25 capacity may reach the server, and see its own variables only", async () => {
    const capacity = await flags(["capacity"], { STRONGROOM_PORT: "9000" });
    const expected = data("./data", `${real}/data`, ",.").map((it) =>
      it === "--allow-env" ? "--allow-env=STRONGROOM_*,TERM" : it
    );
    expected.splice(2, 0, "--allow-net=127.0.0.1:9000");
    assert.deepEqual(capacity, expected);
  });
  await t.step("C 25 a verb may reach its server, and read the login", async () => {
    const variables = "--allow-env=STRONGROOM_*,TERM,HOME,XDG_CONFIG_HOME,XDG_STATE_HOME";
    const expected = (address: string, home: string) => [
      variables,
      `--allow-net=${address}`,
      `--allow-read=${home}/strongroom,${home}/strongroom`,
    ];
    const home = `${real}/home`;
    const named = { HOME: home, STRONGROOM_URL: "https://files.example/below" };
    assert.deepEqual(
      await flags(["ls", "-l", "a"], named),
      expected("files.example:443", `${home}/.config`),
    );
    const port = {
      ...named,
      STRONGROOM_URL: "http://127.0.0.1:9000/",
      XDG_CONFIG_HOME: `${real}/c`,
    };
    assert.deepEqual(await flags(["rm", "a"], port), expected("127.0.0.1:9000", `${real}/c`));
    // Without a server, the command itself says what to do.
    assert.deepEqual(await flags(["stat", "a"], { HOME: home }), ["--allow-all"]);
    await Deno.mkdir(`${home}/.config/strongroom`, { recursive: true });
    await Deno.writeTextFile(`${home}/.config/strongroom/login`, "http://kept.example\nx.y.z\n");
    assert.deepEqual(
      await flags(["events"], { HOME: home }),
      expected("kept.example:80", `${home}/.config`),
    );
    const hostile = [
      "http://[::1]:80",
      "http://a,b",
      "http://a:",
      "http://u:p@h",
      "http://h?x",
      "x",
    ];
    for (const url of hostile) {
      assert.deepEqual(
        await flags(["ls"], { ...named, STRONGROOM_URL: url }),
        ["--allow-all"],
        url,
      );
    }
  });
  await t.step("C 25 what a flag cannot express is left to the program", async () => {
    const cases: [string[], Record<string, string>][] = [
      [["token"], { STRONGROOM_DATA_DIR: "a,b" }],
      [["check"], { STRONGROOM_DATA_DIR: " a" }],
      [["config"], { STRONGROOM_DATA_DIR: "a\tb" }],
      [["capacity"], { STRONGROOM_HOST: "x,y" }],
      [["capacity"], { STRONGROOM_HOST: "::1" }],
      [["capacity"], { STRONGROOM_PORT: "1 --allow-run" }],
      [["config"], { STRONGROOM_JWT_SECRET_FILE: "/run/secrets/jwt" }],
      [["token"], { STRONGROOM_DATABASE_URL_FILE: "/run/secrets/database" }],
      [["scan", "a"], {}],
      [["serve"], {}],
      [["fly"], {}],
    ];
    for (const [args, env] of cases) assert.deepEqual(await flags(args, env), ["--allow-all"]);
  });
});

Deno.test("C 25 a package without its runtime says so in one line", async () => {
  await using directory = await TempDir.make();
  const lib = await fakePackage(directory.path);
  await Deno.remove(`${lib}/../../deno`, { recursive: true });
  await Deno.remove(`${lib}/../../@deno`, { recursive: true });
  const { code, stderr } = await run(`${directory.path}/bin/strongroom`, ["--version"]);
  assert.equal(code, 2);
  assert.match(stderr, /^strongroom: The runtime is missing: .*\n$/);
});
