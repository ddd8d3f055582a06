import * as assert from "node:assert/strict";
import { Authority } from "../../support/certificates.ts";
import { type CommandOptions, RemoteClient } from "../../support/remote_client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram } from "../../support/tools.ts";

/** A proxy with TLS in front of a server. */
async function tlsProxy(authority: Authority, server: TestServer) {
  const { certificate, key } = await authority.issue("DNS:localhost,IP:127.0.0.1");
  const [cert, keyText] = await Promise.all([certificate, key].map((it) => Deno.readTextFile(it)));
  return Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert: cert ?? "", key: keyText ?? "", onListen() {} },
    (request) => fetch(request.url.replace(/^https:\/\/[^/]*/, server.origin), request),
  );
}

Deno.test({
  name: "C 25 servers may have a certificate of an authority of one's own",
  ignore: !await hasProgram("openssl", "version"),
  async fn(t) {
    await using home = await TempDir.make();
    await using authority = await Authority.make();
    await using server = await TestServer.start();
    await using proxy = await tlsProxy(authority, server);
    const url = `https://127.0.0.1:${proxy.addr.port}`;
    const token = await mintToken({ userId: 1, privileges: USER_PRIVILEGES });
    const named = { HOME: home.path, STRONGROOM_URL: url, STRONGROOM_TOKEN: token };
    const { certificate } = authority;
    const run = async (
      args: readonly string[],
      env: Readonly<Record<string, string>> = named,
      options: CommandOptions = {},
    ) => await new RemoteClient(env).run(args, options);

    await t.step("one that nobody trusts is refused, with the reason", async () => {
      const { code, stderr } = await run(["mkdir", "d"]);
      assert.equal(code, 1);
      assert.match(stderr, /Cannot reach the server .*: .*(certificate|UnknownIssuer)/);
    });
    await t.step("--cacert names it, for verbs and transfers, in both spellings", async () => {
      const made = await run(["mkdir", "--cacert", certificate, "d"]);
      assert.equal(made.code, 0, made.stderr);
      const options = { stdin: "content" };
      const sent = await run(
        ["put", "-", "--name", "f", "d", `--cacert=${certificate}`],
        named,
        options,
      );
      assert.equal(sent.code, 0, sent.stderr);
    });
    await t.step("SSL_CERT_FILE names it", async () => {
      const { code, stdout, stderr } = await run(["ls", "d"], {
        ...named,
        SSL_CERT_FILE: certificate,
      });
      assert.deepEqual([code, stdout], [0, "f\n"], stderr);
    });
    await t.step("login keeps it", async () => {
      const env = { HOME: home.path };
      const login = await run(["login", "--cacert", certificate, url], env, {
        stdin: `${token}\n`,
      });
      assert.equal(login.code, 0, login.stderr);
      const { code, stdout, stderr } = await run(["ls", "d"], env);
      assert.deepEqual([code, stdout], [0, "f\n"], stderr);
    });
    await t.step("a file without a certificate is named", async () => {
      for (const file of ["missing.pem", `${home.path}`]) {
        const { code, stderr } = await run(["ls", "--cacert", file]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, /^strongroom: Cannot read the certificate of an authority in "/);
      }
      const { stderr } = await run(["ls", "--cacert"]);
      assert.match(stderr, /^strongroom: --cacert needs a file/);
    });
  },
});
