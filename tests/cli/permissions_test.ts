import * as assert from "node:assert/strict";
import { permissionLine } from "../../cli/permissions.ts";
import { readSettings, type ReadVariable } from "../../schemas/settings.ts";
import { printedPermissionFlags, strongroom } from "../support/child_server.ts";
import { run } from "../support/tools.ts";

/** What `strongroom permissions` prints, or nothing if a setting is refused. */
function lineOf(variable: ReadVariable): string | undefined {
  try {
    return permissionLine(readSettings(variable));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

Deno.test("strongroom permissions", async (t) => {
  await t.step("prints only what the settings need", async () => {
    const flags = await printedPermissionFlags({
      STRONGROOM_DATA_DIR: "/srv/room",
      STRONGROOM_HOST: "::1",
    });
    assert.ok(flags.includes("--allow-net=[::1]:8080"), flags.join(" "));
    assert.ok(flags.includes("--allow-write=/srv/room"));
    assert.ok(flags.every((flag) => /^--allow-(net|read|write|env|sys)=.+/.test(flag)));
    assert.match(flags.find((flag) => flag.startsWith("--allow-read")) ?? "", /,\/srv\/room$/);
  });
  await t.step("includes the key file and the host of the keys", async () => {
    const pem = await printedPermissionFlags({ STRONGROOM_JWT_PUBLIC_KEY: "/etc/key.pem" });
    assert.match(pem.join(" "), /--allow-read=.*,\/etc\/key\.pem/);
    const jwks = await printedPermissionFlags({ STRONGROOM_JWKS_URL: "https://id.example/jwks" });
    assert.match(jwks.join(" "), /--allow-net=127\.0\.0\.1:8080,id\.example:443 /);
    const port = await printedPermissionFlags({ STRONGROOM_JWKS_URL: "http://[::1]:81/jwks" });
    assert.match(port.join(" "), /--allow-net=127\.0\.0\.1:8080,\[::1\]:81 /);
    const oidc = await printedPermissionFlags({
      STRONGROOM_OIDC_ISSUER: "https://login.example",
      STRONGROOM_OIDC_CLIENT_ID: "strongroom",
      STRONGROOM_OIDC_HOSTS: "keys.example,tokens.example:8443",
    });
    assert.match(
      oidc.join(" "),
      /--allow-net=127\.0\.0\.1:8080,login\.example:443,keys\.example:443,tokens\.example:8443 /,
    );
  });
  await t.step("refuses a comma, which flags cannot express", async () => {
    const { code, stdout, stderr } = await strongroom(["permissions"], {
      STRONGROOM_DATA_DIR: "/a,/b",
    });
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /comma/);
  });
  await t.step("C 13 prints no flag that a setting brings along", async () => {
    const hostile = [
      "x --allow-run",
      "x\t--allow-run y",
      "--allow-run",
      "'; --allow-run #",
      "$(id)",
    ];
    const names = ["HOST", "PORT", "DATA_DIR", "JWT_PUBLIC_KEY", "JWKS_URL"];
    const cases = names.flatMap((name) =>
      hostile.map((value) => [`STRONGROOM_${name}`, value] as const)
    );
    const expectFlags = (line: string, what: string) => {
      // Split as $(…) splits it.
      for (const word of line.trim().split(/\s+/)) {
        assert.match(word, /^--allow-(net|read|write|env|sys)=/, `${what}: ${line}`);
      }
    };
    // One value of each as users run it. The others by the same lines, without a process for each.
    const started = cases.filter(([, value]) => value === hostile[0]);
    await Promise.all(started.map(async ([name, value]) => {
      const { code, stdout } = await strongroom(["permissions"], { [name]: value });
      if (code === 2) return assert.equal(stdout, "");
      assert.equal(code, 0);
      expectFlags(stdout, `${name}=${value}`);
    }));
    const printed = cases.filter(([name, value]) => {
      const line = lineOf((it) => it === name ? value : undefined);
      if (line !== undefined) expectFlags(line, `${name}=${value}`);
      return line !== undefined;
    });
    // A directory and a file may have any name without a tab.
    assert.equal(printed.length, 2 * (hostile.length - 1), String(printed));
  });
  await t.step("prints a path with a space as one word for a shell", async () => {
    const dataDir = "/a b'c\\d $e";
    const { stdout } = await strongroom(["permissions"], { STRONGROOM_DATA_DIR: dataDir });
    const echoed = await run("bash", ["-c", `printf '%s\\n' ${stdout.trim()}`]);
    assert.ok(echoed.stdout.split("\n").includes(`--allow-write=${dataDir}`), echoed.stdout);
  });
});
