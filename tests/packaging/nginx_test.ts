import * as assert from "node:assert/strict";
import { TrustedProxies } from "../../routes/client_address.ts";
import { ROOT } from "../support/child_server.ts";
import { Client } from "../support/client.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { until } from "../support/until.ts";

/** nginx with the configuration that is shipped, and shorter times. */
class Nginx implements AsyncDisposable {
  private constructor(readonly port: number, readonly process: Deno.ChildProcess) {}

  static async start(directory: string, upstream: string): Promise<Nginx> {
    const port = freePort();
    const shipped = await Deno.readTextFile(`${ROOT}packaging/nginx/strongroom.conf`);
    const site = shipped.replace("127.0.0.1:8080", upstream)
      .replace("listen 80;", `listen 127.0.0.1:${port};`)
      .replace("client_header_timeout 20s;", "client_header_timeout 1s;")
      .replace("keepalive_timeout 75s;", "keepalive_timeout 1s;");
    await Deno.writeTextFile(`${directory}/strongroom.conf`, site);
    const names = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const temporary = names.map((name) => `${name}_temp_path ${directory}/${name};`).join(" ");
    await Deno.writeTextFile(
      `${directory}/nginx.conf`,
      `daemon off; master_process off; pid ${directory}/pid; error_log stderr;
       events { worker_connections 2048; }
       http { access_log off; ${temporary} include ${directory}/strongroom.conf; }`,
    );
    const process = new Deno.Command("nginx", {
      args: ["-p", directory, "-c", `${directory}/nginx.conf`],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await until(() => connect(port).then((it) => (it.close(), true), () => false));
    return new Nginx(port, process);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/api/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill("SIGTERM");
    await this.process.status;
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

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

Deno.test({
  name: "C 22 nginx with the shipped configuration, in front of a server",
  ignore: !await hasProgram("nginx", "-v") || !await hasProgram("curl", "--version"),
  async fn(t) {
    await using directory = await TempDir.make();
    await using server = await TestServer.start({
      app: { trustedProxies: new TrustedProxies(["127.0.0.1"]) },
    });
    await using nginx = await Nginx.start(directory.path, new URL(server.origin).host);
    const user = new Client(nginx.url, (await server.as(7)).token);

    await t.step("C 22 connections with an unfinished head are closed", async () => {
      const halves = await Promise.all(Array.from({ length: 300 }, async () => {
        const connection = await connect(nginx.port);
        await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: a\r\n"));
        return connection;
      }));
      const ends = halves.map(drained);
      assert.equal((await user.list()).status, 200);
      await Promise.all(ends);
    });
    await t.step("C 22 idle connections are closed", async () => {
      const connection = await connect(nginx.port);
      await connection.write(
        new TextEncoder().encode("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      );
      assert.match(await drained(connection), /^HTTP\/1\.1 200/);
    });
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
    await t.step("C 22 the address of the client is logged, whatever it claims", async () => {
      const { code } = await run("curl", [
        ...["--interface", "127.0.0.2", "-s", "-o", `${directory.path}/reply`],
        ...["-H", "X-Forwarded-For: 1.2.3.4", "-H", "Forwarded: for=1.2.3.4"],
        `${nginx.url}/from-elsewhere`,
      ]);
      assert.equal(code, 0);
      const lines = server.log.map((line) => JSON.parse(line));
      const line = lines.find(({ path }) => path?.includes("from-elsewhere"));
      assert.equal(line.address, "127.0.0.2");
    });
  },
});
