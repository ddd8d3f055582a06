import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { enterCredential, HAS_BROWSER, openContext } from "../browser/browser.ts";
import { choose, row } from "../browser/files_page.ts";
import { Client } from "../support/client.ts";
import { HAS_NGINX, Nginx } from "../support/nginx.ts";
import { freePort } from "../support/ports.ts";
import { RemoteClient } from "../support/remote_client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const PATH = "/tools/strong.room";

/** What proxies do with the path: remove it from requests, or leave it. */
const UPSTREAM = {
  "the path stripped": (address: string) => `${address}/`,
  "the path not stripped": (address: string) => address,
} as const;

for (const [mode, upstream] of Object.entries(UPSTREAM)) {
  Deno.test({
    name: `C 31 the server works below a path of a host that others share, with ${mode}`,
    ignore: !HAS_NGINX,
    async fn(t) {
      const port = freePort();
      const origin = `http://127.0.0.1:${port}`;
      const base = origin + PATH;
      await using server = await TestServer.start({ settings: { publicUrl: base } });
      await using _nginx = await Nginx.start(
        `client_max_body_size 0;
         location ${PATH}/ {
           proxy_pass ${upstream(server.origin)};
           proxy_set_header Host $http_host;
           proxy_buffering off;
         }`,
        port,
      );
      const token = await mintToken({ userId: 1, privileges: USER_PRIVILEGES });
      const bearer = { Authorization: `Bearer ${token}` };
      const client = new Client(`${base}/api/v1`, token);
      await testApi(t, { base, bearer, client });
      await testHub(t, { base, origin, bearer, client });
      await testConsole(t, { base, token });
      await t.step("the command line", async () => {
        await using home = await TempDir.make();
        const remote = new RemoteClient({
          HOME: home.path,
          STRONGROOM_URL: `${base}/`,
          STRONGROOM_TOKEN: token,
        });
        const sent = await remote.run(["put", "-", "--name", "x y.txt", "cli"], { stdin: "x" });
        assert.equal(sent.code, 0, sent.stderr);
        const { stdout } = await remote.run(["link", "cli/x y.txt"]);
        assert.ok(stdout.startsWith(`${base}/l/`), stdout);
        assert.equal(await (await fetch(stdout.trim())).text(), "x");
      });
      await t.step("requests that come directly", async () => {
        for (const path of ["/healthz", `${PATH}/healthz`, `${PATH}/readyz/`]) {
          const response = await fetch(server.origin + path);
          await response.body?.cancel();
          assert.equal(response.status, 200, path);
        }
        const other = await fetch(`${server.origin}${PATH}x/healthz`);
        await other.body?.cancel();
        assert.equal(other.status, 404);
      });
    },
  });
}

interface Reached {
  readonly base: string;
  readonly bearer: Record<string, string>;
  readonly client: Client;
}

async function testApi(t: Deno.TestContext, { base, bearer, client }: Reached): Promise<void> {
  await t.step("addresses of files, which may look like the path itself", async () => {
    for (const path of ["a b/c%2B.txt", "tools/strong.room/x", "ends"]) {
      const address = `${base}/api/v1/files/${path.split("/").map(encodeURIComponent).join("/")}`;
      const { status } = await fetch(address, { method: "PUT", headers: bearer, body: path });
      assert.equal(status, 201, path);
      assert.ok((await client.tree()).includes(path), path);
      assert.equal(await (await fetch(address, { headers: bearer })).text(), path);
    }
  });
  await t.step("resumable uploads", async () => {
    for (const slash of ["", "/"]) {
      const created = await fetch(`${base}/api/v1/uploads${slash}`, {
        method: "POST",
        headers: {
          ...bearer,
          "Tus-Resumable": "1.0.0",
          "Upload-Length": "1",
          "Upload-Metadata": `path ${btoa(`tus${slash}1`)}`,
        },
      });
      assert.equal(created.status, 201);
      const address = new URL(created.headers.get("Location") ?? "", created.url);
      assert.ok(address.href.startsWith(`${base}/api/v1/uploads/`), address.href);
      const { status } = await fetch(address, {
        method: "PATCH",
        headers: {
          ...bearer,
          "Tus-Resumable": "1.0.0",
          "Upload-Offset": "0",
          "Content-Type": "application/offset+octet-stream",
        },
        body: "x",
      });
      assert.equal(status, 204);
    }
  });
  await t.step("the description", async () => {
    const { servers } = await (await fetch(`${base}/openapi.json`)).json();
    assert.equal(new URL(servers[0].url, `${base}/openapi.json`).href, base);
  });
}

async function testHub(
  t: Deno.TestContext,
  { base, origin, bearer, client }: Reached & { readonly origin: string },
): Promise<void> {
  await client.upload("models/me/m", { "a.txt": "of the hub", "b.txt": "b" });
  const json = { ...bearer, "Content-Type": "application/json" };
  await t.step("the hub redirects to content", async () => {
    const address = `${base}/hub/me/m/resolve/main/a.txt`;
    const response = await fetch(address, { headers: bearer, redirect: "manual" });
    await response.body?.cancel();
    const location = response.headers.get("Location") ?? "";
    assert.ok(location.startsWith(`${PATH}/hub/`), location);
    assert.equal(await (await fetch(origin + location)).text(), "of the hub");
  });
  await t.step("pages of lists", async () => {
    const response = await fetch(`${base}/hub/api/models/me/m/tree/main?limit=1`, {
      headers: bearer,
    });
    assert.equal((await response.json()).length, 1);
    const [, next = ""] = /<([^>]*)>; *rel="next"/.exec(response.headers.get("Link") ?? "") ?? [];
    assert.ok(next.startsWith(`${base}/hub/`), next);
    const [entry] = await (await fetch(next, { headers: bearer })).json();
    assert.equal(entry.path, "b.txt");
  });
  await t.step("Git LFS sends to signed addresses", async () => {
    const content = new Uint8Array(70_000).fill(7);
    const object = {
      oid: createHash("sha256").update(content).digest("hex"),
      size: content.length,
    };
    const batch = await fetch(`${base}/hub/me/m.git/info/lfs/objects/batch`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ operation: "upload", transfers: ["basic"], objects: [object] }),
    });
    const { objects: [{ actions: { upload, verify } }] } = await batch.json();
    for (const { href } of [upload, verify]) assert.ok(href.startsWith(`${base}/hub/`), href);
    const sent = await fetch(upload.href, {
      method: "PUT",
      headers: upload.header,
      body: content,
    });
    assert.equal(sent.status, 200, await sent.text());
    const verified = await fetch(verify.href, {
      method: "POST",
      headers: json,
      body: JSON.stringify(object),
    });
    assert.equal(verified.status, 200, await verified.text());
  });
  await t.step("the address of a repository opens the console", async () => {
    const response = await fetch(`${base}/hub/models/me/m`, { redirect: "manual" });
    await response.body?.cancel();
    assert.equal(response.headers.get("Location"), `${PATH}/#/files/models/me/m`);
  });
}

async function testConsole(
  t: Deno.TestContext,
  { base, token }: { readonly base: string; readonly token: string },
): Promise<void> {
  await t.step("the cookie of the console is of the path", async () => {
    const response = await fetch(`${base}/console/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Strongroom-Console": "none" },
      body: JSON.stringify({ credential: token }),
    });
    await response.body?.cancel();
    const cookie = response.headers.get("Set-Cookie") ?? "";
    assert.ok(cookie.includes(`; Path=${PATH}/console; `), cookie);
  });
  await t.step({
    name: "the console in a browser",
    ignore: !HAS_BROWSER,
    async fn() {
      const context = await openContext();
      const page = await context.newPage();
      const outside: string[] = [];
      page.on("request", (request) => {
        if (!request.url().startsWith(`${base}/`)) outside.push(request.url());
      });
      await page.goto(`${base}/`);
      await enterCredential(page);
      await choose(page, "Upload files", { name: "by browser.bin", size: 2 ** 20 + 1 });
      await row(page, "by browser.bin").waitFor();
      await page.reload();
      await row(page, "by browser.bin").waitFor();
      await context.close();
      assert.deepEqual(outside, []);
    },
  });
}
