import * as assert from "node:assert/strict";
import type { AppError } from "../../../core/errors.ts";
import { UpstreamAway } from "../../../core/mirror/ports.ts";
import { isPublicAddress } from "../../../storage/upstream/public_address.ts";
import { type RequestOptions, UpstreamRequests } from "../../../storage/upstream/requests.ts";

/** A server of some replies, which counts its connections and keeps its requests. */
class Site implements AsyncDisposable {
  readonly requests: { readonly path: string; readonly token: string | null }[] = [];
  reply: () => Response = () => new Response("fine");
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => {
      const path = new URL(request.url).pathname;
      this.requests.push({ path, token: request.headers.get("Authorization") });
      return this.reply();
    },
  );

  get host(): string {
    return `127.0.0.1:${this.#server.addr.port}`;
  }

  get port(): number {
    return this.#server.addr.port;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.shutdown();
  }
}

function requestsTo(site: Site, options: Partial<RequestOptions> = {}): UpstreamRequests {
  return new UpstreamRequests(`http://${site.host}/hub`, {
    ...{ authorities: [site.host], retryMs: 1, restMs: 60_000 },
    ...options,
  });
}

async function get(requests: UpstreamRequests, address = "/x"): Promise<string> {
  const { signal } = new AbortController();
  return await (await requests.get(address, { signal })).text();
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { Location: location } });
}

Deno.test("C 28 redirects lead to allowed hosts only, and the token to the other hub's own", async () => {
  await using hub = new Site();
  await using content = new Site();
  await using other = new Site();
  const requests = requestsTo(hub, { token: "hf_x", authorities: [hub.host, content.host] });
  hub.reply = () => redirect(`http://${content.host}/signed?a=1`);
  assert.equal(await get(requests), "fine");
  assert.deepEqual(hub.requests, [{ path: "/hub/x", token: "Bearer hf_x" }]);
  assert.deepEqual(content.requests, [{ path: "/signed", token: null }]);
  for (
    const [location, reason] of [
      [`http://${other.host}/`, /STRONGROOM_MIRROR_HOSTS/],
      // The same name at another port.
      [`http://${other.host.replace("127.0.0.1", "localhost")}/`, /STRONGROOM_MIRROR_HOSTS/],
      [`https://${content.host}/`, /scheme/],
      ["file:///etc/passwd", /scheme/],
      ["data:text/plain,x", /scheme/],
    ] as const
  ) {
    hub.reply = () => redirect(location);
    await assert.rejects(get(requests), (error: AppError) => {
      assert.equal(error.kind, "ErrUnavailable");
      assert.match(error.message, reason);
      return true;
    });
  }
  // The allowed host redirects elsewhere.
  hub.reply = () => redirect(`http://${content.host}/`);
  content.reply = () => redirect(`http://${other.host}/`);
  await assert.rejects(get(requests), /STRONGROOM_MIRROR_HOSTS/);
  // An address of the next page is one of the other hub.
  await assert.rejects(get(requests, `http://${content.host}/page`), /another origin/);
  assert.equal(other.requests.length, 0);
  content.reply = () => redirect(`http://${content.host}/`);
  await assert.rejects(get(requests), /redirects more than/);
});

Deno.test("C 28 a host whose address is not public is not asked, unless the other hub's is not, either", async () => {
  await using hub = new Site();
  await using content = new Site();
  const asked: string[] = [];
  const addresses = new Map<string, readonly string[]>();
  const requests = new UpstreamRequests(`http://localhost:${hub.port}`, {
    authorities: [`localhost:${hub.port}`, content.host, `cdn.example:${content.port}`],
    retryMs: 1,
    resolveHost(host, port) {
      asked.push(`${host}:${port}`);
      return Promise.resolve(addresses.get(host) ?? []);
    },
  });
  hub.reply = () => redirect(`http://${content.host}/`);
  addresses.set("localhost", ["127.0.0.1"]);
  assert.equal(await get(requests), "fine");
  assert.equal(content.requests.length, 1);
  // As if the other hub were a public one.
  addresses.set("localhost", ["93.184.215.14"]);
  await assert.rejects(get(requests), /not public/);
  hub.reply = () => redirect(`http://cdn.example:${content.port}/`);
  for (const found of [["10.0.0.1"], ["93.184.215.14", "::1"], []]) {
    // It changes between two requests.
    addresses.set("cdn.example", found);
    await assert.rejects(get(requests), /not public/);
  }
  assert.equal(content.requests.length, 1);
  assert.ok(asked.includes(`cdn.example:${content.port}`));
});

Deno.test("C 28 addresses of special networks are not public", () => {
  const special =
    "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.31.0.1 192.168.1.1 198.18.0.1 " +
    "224.0.0.1 255.255.255.255 :: ::1 fe80::1 fd00::1 ff02::1 2001:db8::1 2002:7f00:1:: ::ffff:127.0.0.1 " +
    "::ffff:8.8.8.8 ::ffff:7f00:1 64:ff9b::10.0.0.1 localhost";
  for (const address of special.split(" ")) assert.equal(isPublicAddress(address), false, address);
  for (const address of "8.8.8.8 172.32.0.1 2606:4700::1111 64:ff9b::8.8.8.8".split(" ")) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

Deno.test("C 28 requests are repeated after a failure, and rest after several in a row", async () => {
  await using hub = new Site();
  let failures = 2;
  hub.reply = () => failures-- > 0 ? new Response(null, { status: 502 }) : new Response("fine");
  const requests = requestsTo(hub);
  assert.equal(await get(requests), "fine");
  assert.equal(hub.requests.length, 3);
  failures = Infinity;
  for (let attempt = 0; attempt < 3; attempt++) {
    await assert.rejects(get(requests), /answers 502/);
  }
  assert.equal(hub.requests.length, 12);
  await assert.rejects(get(requests), (error: UpstreamAway) => {
    assert.match(error.message, /is asked again in \d+ s/);
    assert.ok((error.retryAfterS ?? 0) > 50);
    return true;
  });
  assert.equal(hub.requests.length, 12);
});

Deno.test("C 28 a file that cannot be had, or a host that others are redirected to, closes nothing", async () => {
  await using hub = new Site();
  await using content = new Site();
  const requests = requestsTo(hub, { authorities: [hub.host, content.host] });
  hub.reply = () => redirect(`http://${content.host}/`);
  content.reply = () => new Response(null, { status: 503 });
  for (let attempt = 0; attempt < 4; attempt++) {
    await assert.rejects(get(requests), /answers 503/);
  }
  hub.reply = () => new Response(null, { status: 416 });
  for (let attempt = 0; attempt < 4; attempt++) {
    await assert.rejects(get(requests), /answers 416/);
  }
  hub.reply = () => new Response("fine");
  assert.equal(await get(requests), "fine");
});

Deno.test("C 28 a hub that has had enough is asked again when it says so", async () => {
  for (const [name, value] of [["Retry-After", "90"], ["RateLimit", '"resolvers";r=0;t=90']]) {
    await using hub = new Site();
    const headers = { [name ?? ""]: value ?? "" };
    hub.reply = () => new Response(null, { status: 429, headers });
    const requests = requestsTo(hub);
    await assert.rejects(get(requests), { name: "UpstreamAway", retryAfterS: 90 });
    await assert.rejects(get(requests), /is asked again in 90 s/);
    assert.equal(hub.requests.length, 1);
  }
});

Deno.test("C 28 what the other hub refuses is refused, and is no failure", async () => {
  await using hub = new Site();
  const requests = requestsTo(hub);
  for (
    const [status, code, kind] of [
      [401, "RepoNotFound", "ErrHubRepositoryNotFound"],
      [404, "RevisionNotFound", "ErrHubRevisionNotFound"],
      [404, "EntryNotFound", "ErrHubEntryNotFound"],
      [403, "GatedRepo", "ErrNotPermitted"],
      [401, "GatedRepo", "ErrNotPermitted"],
      [403, "DisabledRepo", "ErrNotPermitted"],
      [401, "", "ErrHubRepositoryNotFound"],
    ] as const
  ) {
    const headers = { "X-Error-Code": code, "X-Error-Message": "why" };
    hub.reply = () => new Response(null, { status, headers });
    await assert.rejects(get(requests), { kind });
  }
  assert.equal(hub.requests.length, 7);
});

Deno.test("C 28 a hub that does not answer in time, or not at all, is away", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${silent.addr.port}`;
  const authorities = [`127.0.0.1:${silent.addr.port}`];
  const requests = new UpstreamRequests(url, { authorities, timeoutMs: 30, retryMs: 1 });
  const { signal } = new AbortController();
  await assert.rejects(requests.get("/", { signal }), /does not answer within/);
  // The time for all attempts may be over first.
  const patient = new UpstreamRequests(url, { authorities, restMs: 60_000 });
  for (let attempt = 0; attempt < 3; attempt++) {
    const late = patient.get("/", { signal: AbortSignal.timeout(10) });
    await assert.rejects(late, { name: "UpstreamAway", message: /takes too long/ });
  }
  await assert.rejects(patient.get("/", { signal }), /is asked again in/);
  silent.close();
  await assert.rejects(requests.get("/", { signal }), UpstreamAway);
});
