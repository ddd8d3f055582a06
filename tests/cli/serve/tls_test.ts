import * as assert from "node:assert/strict";
import * as v from "valibot";
import { BASE_PATH } from "../../../schemas/base_path.ts";
import { Authority } from "../../support/certificates.ts";
import { ChildServer, ROOT } from "../../support/child_server.ts";
import { freePort } from "../../support/ports.ts";
import { mintToken, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram, run } from "../../support/tools.ts";
import { until } from "../../support/until.ts";

const SECRET = "a secret of more than 32 characters";
const Session = v.object({ data: v.object({ name: v.string() }) });

Deno.test({
  name: "C 31 a server encrypts by itself, and takes a renewed certificate at SIGHUP",
  ignore: Deno.build.os === "windows" || !await hasProgram("openssl", "version"),
  async fn(t) {
    await using directory = await TempDir.make();
    await using former = await Authority.make();
    await using next = await Authority.make();
    const [cert, key] = [`${directory.path}/cert.pem`, `${directory.path}/key.pem`];
    const install = async (authority: Authority) => {
      const issued = await authority.issue("DNS:localhost,IP:127.0.0.1");
      await Deno.copyFile(issued.certificate, cert);
      await Deno.copyFile(issued.key, key);
    };
    const trusting = async ({ certificate }: Authority) =>
      Deno.createHttpClient({ caCerts: [await Deno.readTextFile(certificate)] });
    await install(former);
    await using child = await ChildServer.start({
      dataDir: `${directory.path}/data`,
      env: {
        STRONGROOM_TLS_CERT: cert,
        STRONGROOM_TLS_KEY: key,
        STRONGROOM_JWT_SECRET: SECRET,
      },
    });
    const { origin } = child;
    assert.match(origin, /^https:/);
    using client = await trusting(former);
    const token = await mintToken({ secret: SECRET, userId: 1, privileges: USER_PRIVILEGES });
    const authorized = { Authorization: `Bearer ${token}` };

    await t.step("C 31 each reply has browsers stay with TLS", async () => {
      for (const path of ["/healthz", `${BASE_PATH}/resources/`, "/nowhere"]) {
        const reply = await fetch(origin + path, { client });
        await reply.body?.cancel();
        assert.match(reply.headers.get("Strict-Transport-Security") ?? "", /^max-age=\d{8}$/);
      }
    });
    await t.step("C 31 the cookie of the console is bound to the host", async () => {
      const reply = await fetch(`${origin}/console/session`, {
        client,
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-Strongroom-Console": "sign-in",
          Origin: origin,
        },
        body: JSON.stringify({ credential: token }),
      });
      v.parse(Session, await reply.json());
      assert.match(
        reply.headers.get("Set-Cookie") ?? "",
        /^__Host-strongroom_console_\w+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      );
    });
    await t.step("C 31 a file of another key is reported, and the server goes on", async () => {
      await Deno.copyFile((await next.issue("DNS:localhost")).certificate, cert);
      Deno.kill(child.supervisorPid, "SIGHUP");
      await until(() => child.log.includes("Cannot reload; what was loaded before stays"));
      assert.match(child.log, /key of another certificate/);
      assert.equal(child.starts, 1);
    });
    await t.step("C 31 a renewed one is used, and a transfer that runs arrives", async () => {
      const content = new Uint8Array(3_000_000).fill(7);
      let begun = () => {};
      const running = new Promise<void>((resolve) => begun = resolve);
      let rest = () => {};
      const resumed = new Promise<void>((resolve) => rest = resolve);
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(content.subarray(0, 1_000_000));
          begun();
          await resumed;
          controller.enqueue(content.subarray(1_000_000));
          controller.close();
        },
      });
      const sent = fetch(`${origin}${BASE_PATH}/files/f.bin`, {
        client,
        method: "PUT",
        headers: { ...authorized, "Content-Type": "application/octet-stream" },
        body,
      });
      await running;
      await install(next);
      Deno.kill(child.supervisorPid, "SIGHUP");
      await until(() => child.log.includes('"Stopping","signal":"new certificate"'));
      rest();
      const stored = await sent;
      assert.equal(stored.status, 201, await stored.text());
      await until(() => child.starts === 2);
      using renewed = await trusting(next);
      const reply = await fetch(`${origin}${BASE_PATH}/files/f.bin`, {
        client: renewed,
        headers: authorized,
      });
      assert.deepEqual(await reply.bytes(), content);
      assert.doesNotMatch(child.log, /The server died/);
    });
    assert.equal((await child.end("SIGTERM")).code, 0);
  },
});

Deno.test({
  name: "C 31 a certificate without its key, or with another one, is refused at the start",
  ignore: !await hasProgram("openssl", "version"),
  async fn() {
    await using directory = await TempDir.make();
    await using authority = await Authority.make();
    const { certificate, key } = await authority.issue("DNS:localhost");
    const other = await authority.issue("DNS:localhost");
    const refusal = async (env: Record<string, string>) => {
      const { code, stderr } = await run(Deno.execPath(), ["task", "-q", "start"], {
        cwd: ROOT,
        env: {
          STRONGROOM_DATA_DIR: `${directory.path}/data`,
          STRONGROOM_PORT: String(freePort()),
          ...env,
        },
      });
      assert.equal(code, 2, stderr);
      return stderr;
    };
    const alone = await refusal({ STRONGROOM_TLS_CERT: certificate });
    assert.match(alone, /set STRONGROOM_TLS_CERT and STRONGROOM_TLS_KEY together/);
    const swapped = { STRONGROOM_TLS_CERT: key, STRONGROOM_TLS_KEY: certificate };
    assert.match(await refusal(swapped), /Invalid STRONGROOM_TLS_CERT .*: expected a PEM file/);
    const foreign = { STRONGROOM_TLS_CERT: certificate, STRONGROOM_TLS_KEY: other.key };
    assert.match(await refusal(foreign), /Invalid STRONGROOM_TLS_KEY .*another certificate/);
  },
});
