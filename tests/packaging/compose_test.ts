import * as assert from "node:assert/strict";
import * as v from "valibot";
import { readSettings, SECRET_VARIABLES, SETTING_VARIABLES } from "../../schemas/settings.ts";
import { parseDuration } from "../../schemas/units.ts";
import { HAS_CADDY } from "../support/balancer.ts";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { HAS_YAML, readYamlFile } from "../support/yaml.ts";

const DIRECTORY = `${ROOT}packaging/compose`;
/** How long a server takes to stop after its drain and its grace, in seconds. */
const STOP_S = 5;

const Compose = v.looseObject({
  services: v.record(
    v.string(),
    v.looseObject({
      environment: v.optional(v.record(v.string(), v.string()), {}),
      secrets: v.optional(v.array(v.string()), []),
      networks: v.array(v.string()),
      ports: v.optional(v.array(v.string())),
      volumes: v.optional(v.array(v.string()), []),
      read_only: v.literal(true),
      cap_drop: v.tuple([v.literal("ALL")]),
      security_opt: v.tuple([v.literal("no-new-privileges:true")]),
      healthcheck: v.looseObject({ test: v.array(v.string()), interval: v.string() }),
      restart: v.literal("unless-stopped"),
      stop_grace_period: v.string(),
      mem_limit: v.string(),
      cpus: v.number(),
      pids_limit: v.number(),
    }),
  ),
  networks: v.record(v.string(), v.looseObject({ internal: v.optional(v.boolean()) })),
  secrets: v.record(v.string(), v.strictObject({ file: v.string() })),
});
type Compose = v.InferOutput<typeof Compose>;

async function readCompose(): Promise<Compose> {
  const [document] = await readYamlFile(`${DIRECTORY}/compose.yaml`);
  return v.parse(Compose, document);
}

/** Makes secrets as a reader does. Returns them by name. */
async function makeSecrets(directory: string): Promise<Map<string, string>> {
  await Deno.copyFile(`${DIRECTORY}/make_secrets`, `${directory}/make_secrets`);
  const { code, stderr } = await run("sh", [`${directory}/make_secrets`], { cwd: "/" });
  assert.equal(code, 0, stderr);
  const secrets = new Map<string, string>();
  for await (const { name } of Deno.readDir(`${directory}/secrets`)) {
    secrets.set(name, (await Deno.readTextFile(`${directory}/secrets/${name}`)).trimEnd());
  }
  return secrets;
}

/** The values of variables as Compose fills them in where the reader sets none. */
function filledIn(environment: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(environment)
      .map(([name, value]) => [name, value.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1")]),
  );
}

Deno.test({
  name: "C 31 compose.yaml starts servers with settings that they accept, and secrets in files",
  ignore: !HAS_YAML,
  async fn() {
    await using directory = await TempDir.make();
    const made = await makeSecrets(directory.path);
    const { services, secrets } = await readCompose();
    assert.deepEqual(Object.keys(secrets).sort(), [...made.keys()].sort());
    for (const [name, { file }] of Object.entries(secrets)) assert.equal(file, `./secrets/${name}`);
    for (const [service, { environment, secrets: mounted, volumes }] of Object.entries(services)) {
      for (const value of [...Object.values(environment), ...volumes]) {
        assert.ok([...made.values()].every((secret) => !value.includes(secret)), service);
      }
      assert.ok(!Object.keys(environment).some((it) => SECRET_VARIABLES.has(it)), service);
      const named = Object.values(environment).filter((it) => it.startsWith("/run/secrets/"));
      assert.ok(named.every((it) => mounted.includes(it.replace("/run/secrets/", ""))), service);
    }
    const servers = Object.entries(services).filter(([name]) => name.startsWith("strongroom-"));
    assert.equal(servers.length, 2);
    for (const [name, { environment, volumes, stop_grace_period: stop }] of servers) {
      assert.deepEqual(environment, servers[0]?.[1].environment);
      assert.deepEqual(volumes, [`${name}:/data`]);
      const variables = filledIn(environment);
      assert.deepEqual([...variables.keys()].filter((it) => !SETTING_VARIABLES.includes(it)), []);
      const { drain, grace, databaseUrl, jwtSecret } = readSettings((variable) => {
        const file = variables.get(`${variable}_FILE`);
        return file === undefined
          ? variables.get(variable)
          : made.get(file.replace("/run/secrets/", ""));
      });
      assert.deepEqual([databaseUrl, jwtSecret], [
        made.get("database_url"),
        made.get("jwt_secret"),
      ]);
      assert.ok((parseDuration(stop) ?? 0) > (drain + grace) / 1000 + STOP_S);
      // The balancer has noticed before the drain is over.
      const balancer = await Deno.readTextFile(`${DIRECTORY}/balancer/Caddyfile`);
      const [interval = 0, timeout = 0] = ["health_interval", "health_timeout"]
        .map((it) => parseDuration(new RegExp(`${it} (\\w+)`).exec(balancer)?.[1] ?? ""));
      assert.ok(interval > 0 && timeout > 0 && interval + timeout < drain / 1000);
    }
  },
});

Deno.test({
  name: "C 31 compose.yaml publishes the balancer alone, which knows all servers",
  ignore: !HAS_YAML,
  async fn() {
    const { services, networks } = await readCompose();
    const published = Object.entries(services).filter(([, it]) => it.ports !== undefined);
    assert.deepEqual(published.map(([name]) => name), ["balancer"]);
    for (const address of published[0]?.[1].ports ?? []) assert.match(address, /127\.0\.0\.1:\d+/);
    assert.equal(networks["back"]?.internal, true);
    for (const name of ["database", "objects"]) {
      assert.deepEqual(services[name]?.networks, ["back"]);
    }
    const balancer = await Deno.readTextFile(`${DIRECTORY}/balancer/Caddyfile`);
    const upstreams = /reverse_proxy (.+) \{/.exec(balancer)?.[1]?.split(" ");
    const servers = Object.keys(services).filter((it) => it.startsWith("strongroom-"));
    assert.deepEqual(upstreams, servers.map((it) => `${it}:8080`));
  },
});

Deno.test({
  name: "C 31 make_secrets keeps others out, and what is there",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using directory = await TempDir.make();
    const made = await makeSecrets(directory.path);
    const { mode } = await Deno.stat(`${directory.path}/secrets`);
    assert.equal((mode ?? 0) & 0o777, 0o700);
    assert.ok(made.get("database_url")?.includes(`:${made.get("database_password")}@`));
    await Deno.remove(`${directory.path}/secrets/objects_secret_key`);
    const again = await makeSecrets(directory.path);
    assert.notEqual(again.get("objects_secret_key"), made.get("objects_secret_key"));
    again.delete("objects_secret_key");
    made.delete("objects_secret_key");
    assert.deepEqual(again, made);
  },
});

Deno.test("C 31 neither git nor the image has the secrets of compose.yaml", async () => {
  const lines = async (path: string) => (await Deno.readTextFile(ROOT + path)).split("\n");
  assert.ok((await lines(".gitignore")).includes("/packaging/compose/secrets/"));
  const ignored = await lines("packaging/container/Dockerfile.dockerignore");
  for (const path of ["packaging/compose/secrets", "packaging/compose/.env", "data"]) {
    assert.ok(ignored.includes(path), path);
  }
});

Deno.test({
  name: "C 31 the configuration of the balancer is valid",
  ignore: !HAS_CADDY,
  async fn() {
    await using home = await TempDir.make();
    for (const site of [":80", "files.example"]) {
      const { code, stderr } = await run("caddy", [
        ...["validate", "--config", `${DIRECTORY}/balancer/Caddyfile`, "--adapter", "caddyfile"],
      ], { env: { HOME: home.path, SITE: site } });
      assert.equal(code, 0, stderr);
    }
  },
});
