import * as assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { TrustedProxies } from "../../routes/request/client_address.ts";
import { TIB } from "../../schemas/units.ts";
import { ROOT } from "../support/child_server.ts";
import { Client } from "../support/client.ts";
import { freePort } from "../support/ports.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { until } from "../support/until.ts";

/** A proxy with the configuration that is shipped, and shorter times. */
class Proxy implements AsyncDisposable {
  private constructor(readonly port: number, readonly process: Deno.ChildProcess) {}

  static async start(
    name: keyof typeof PROXIES,
    { directory, upstream }: { directory: string; upstream: string },
  ): Promise<Proxy> {
    const port = freePort();
    const process = new Deno.Command(name, {
      args: await PROXIES[name](directory, { port, upstream }),
      env: { HOME: directory },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await until(() => connect(port).then((it) => (it.close(), true), () => false));
    return new Proxy(port, process);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/api/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill("SIGTERM");
    await this.process.status;
  }
}

interface Addresses {
  readonly port: number;
  readonly upstream: string;
}

/** Write the configuration of each proxy, and return its arguments. */
const PROXIES = {
  async nginx(directory: string, { port, upstream }: Addresses): Promise<string[]> {
    const shipped = await Deno.readTextFile(`${ROOT}packaging/nginx/strongroom.conf`);
    const site = shipped.replace("127.0.0.1:8080", upstream)
      .replace("listen 80;", `listen 127.0.0.1:${port};`)
      .replace("/var/log/nginx/access.log", `${directory}/access.log`)
      .replace("client_header_timeout 20s;", "client_header_timeout 1s;")
      .replace("keepalive_timeout 75s;", "keepalive_timeout 1s;")
      .replace("lingering_time 30s;", "lingering_time 1s;");
    await Deno.writeTextFile(`${directory}/strongroom.conf`, site);
    const names = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const temporary = names.map((name) => `${name}_temp_path ${directory}/${name};`).join(" ");
    await Deno.writeTextFile(
      `${directory}/nginx.conf`,
      `daemon off; master_process off; pid ${directory}/pid; error_log stderr;
       events { worker_connections 2048; }
       http { access_log off; ${temporary} include ${directory}/strongroom.conf; }`,
    );
    return ["-p", directory, "-c", `${directory}/nginx.conf`];
  },
  async caddy(directory: string, { port, upstream }: Addresses): Promise<string[]> {
    const shipped = await Deno.readTextFile(`${ROOT}packaging/caddy/Caddyfile`);
    const site = shipped.replace("127.0.0.1:8080", upstream)
      .replace("strongroom.example {", `:${port} {\n\tbind 127.0.0.1`)
      .replace("read_header 20s", "read_header 1s")
      .replace("idle 75s", "idle 1s")
      .replace("{\n\tservers", "{\n\tadmin off\n\tservers");
    await Deno.writeTextFile(`${directory}/Caddyfile`, site);
    return ["run", "--config", `${directory}/Caddyfile`, "--adapter", "caddyfile"];
  },
};

function connect(port: number): Promise<Deno.TcpConn> {
  return Deno.connect({ hostname: "127.0.0.1", port });
}

/** Reads to the end of a connection that its other side closes. */
async function drained(connection: Deno.TcpConn): Promise<string> {
  using _connection = connection;
  let text = "";
  const buffer = new Uint8Array(65_536);
  try {
    for (let size = await connection.read(buffer); size !== null;) {
      text += new TextDecoder().decode(buffer.subarray(0, size));
      size = await connection.read(buffer);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  }
  return text;
}

/** What a write fails with whose connection was closed. */
const CLOSED = [Deno.errors.BrokenPipe, Deno.errors.ConnectionReset];

/** Half a minute of pieces: proxies close the connection much earlier. */
const MAX_PIECES = 3000;

const VERSION_OPTION = { nginx: "-v", caddy: "version" };

for (const name of ["nginx", "caddy"] as const) {
  Deno.test({
    name: `C 22 ${name} with the shipped configuration, in front of a server`,
    ignore: !await hasProgram(name, VERSION_OPTION[name]) || !await hasProgram("curl", "--version"),
    fn: (t) => testProxy(name, t),
  });
}

async function testProxy(name: keyof typeof PROXIES, t: Deno.TestContext): Promise<void> {
  await using directory = await TempDir.make();
  await using server = await TestServer.start({
    app: { trustedProxies: new TrustedProxies(["127.0.0.1"]) },
  });
  const upstream = new URL(server.origin).host;
  await using proxy = await Proxy.start(name, { directory: directory.path, upstream });
  const user = new Client(proxy.url, (await server.as(7)).token);

  await t.step("C 22 connections with an unfinished head are closed", async () => {
    const halves = await Promise.all(Array.from({ length: 300 }, async () => {
      const connection = await connect(proxy.port);
      await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: a\r\n"));
      return connection;
    }));
    const ends = halves.map(drained);
    assert.equal((await user.list()).status, 200);
    await Promise.all(ends);
  });
  await t.step("C 22 idle connections are closed", async () => {
    const connection = await connect(proxy.port);
    await connection.write(
      new TextEncoder().encode("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    );
    assert.match(await drained(connection), /^HTTP\/1\.1 200/);
  });
  await t.step(
    "C 22 connections whose request was refused are closed while its body comes",
    async () => {
      using connection = await connect(proxy.port);
      const head = [
        "PUT /api/v1/files/a HTTP/1.1",
        "Host: localhost",
        `Authorization: Bearer ${user.token}`,
        `Content-Length: ${2 * TIB}`,
      ];
      await connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n`));
      const piece = new Uint8Array(1000);
      await assert.rejects(async () => {
        for (let pieces = 0; pieces < MAX_PIECES; pieces++) {
          await connection.write(piece);
          await wait(10);
        }
      }, (error) => CLOSED.some((kind) => error instanceof kind));
    },
  );
  await t.step("C 22 uploads, downloads and events pass unchanged", async () => {
    await using events = await user.events();
    const content = new Uint8Array(8 * 2 ** 20).fill(7);
    assert.equal((await user.upload("d", { large: content, "ü %2f": "small" })).status, 200);
    assert.deepEqual(await user.bytes({ path: "d/large" }), content);
    assert.deepEqual(await events.take(1), ["added d"]);
    const range = await user.download({ path: "d/large" }, { Range: "bytes=1-3" });
    assert.equal(range.status, 206);
    await range.body?.cancel();
    const refused = await user.send("GET", "/resources/download", { query: { path: "none" } });
    assert.equal(refused.status, 404);
  });
  await t.step("C 19 links have the origin of the proxy, whose log has no token", async () => {
    const forged = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" };
    const reply = await user.send("POST", "/links/", {
      body: JSON.stringify({ path: "d/large", expires_in: 60 }),
      headers: { "Content-Type": "application/json", ...forged },
    });
    const { url } = JSON.parse(reply.text).data;
    assert.ok(url.startsWith(`http://127.0.0.1:${proxy.port}/l/`), url);
    assert.equal((await (await fetch(url)).arrayBuffer()).byteLength, 8 * 2 ** 20);
    if (name !== "nginx") return;
    const log = () => Deno.readTextFile(`${directory.path}/access.log`);
    await until(async () => (await log()).includes('"GET /l/... HTTP/1.1" 200'));
    assert.ok((await log()).includes("/api/v1/resources/"));
    assert.ok(!(await log()).includes(url.slice(url.lastIndexOf("/") + 1)));
  });
  await t.step("C 22 the address of the client is logged, whatever it claims", async () => {
    const { code } = await run("curl", [
      ...["--interface", "127.0.0.2", "-s", "-o", `${directory.path}/reply`],
      ...["-H", "X-Forwarded-For: 1.2.3.4", "-H", "Forwarded: for=1.2.3.4"],
      `${proxy.url}/from-elsewhere`,
    ]);
    assert.equal(code, 0);
    const lines = server.log.map((line) => JSON.parse(line));
    const line = lines.find(({ path }) => path?.includes("from-elsewhere"));
    assert.equal(line.address, "127.0.0.2");
  });
}
