import { Client } from "./client.ts";
import { HubDouble } from "./hub_double.ts";
import { HubClient } from "./hub.ts";
import { mintToken, TestServer, type TestServerOptions, USER_PRIVILEGES } from "./server.ts";

/** A server that mirrors a double of the public hub, and a client of it. */
export interface Mirroring extends AsyncDisposable {
  readonly double: HubDouble;
  readonly server: TestServer;
  readonly hub: HubClient;
}

/** Starts a {@link Mirroring}. */
export async function mirroring(
  { settings, upstream, double: given, ...options }: TestServerOptions & {
    readonly double?: HubDouble;
  } = {},
): Promise<Mirroring> {
  await using parts = new AsyncDisposableStack();
  const double = given ?? parts.use(HubDouble.start());
  const server = parts.use(
    await TestServer.start({
      ...options,
      settings: { mirrorUrl: double.url, mirrorHosts: [double.contentHost], ...settings },
      // What the double holds back stays away until it is resumed, however long that takes.
      upstream: { retryMs: 1, restMs: 1, stallMs: 2 ** 30, ...upstream },
    }),
  );
  const hub = await mirrorClient(server, 1);
  const owned = parts.move();
  return { double, server, hub, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A client of the hub who may use the mirror, unless other privileges are given. */
export async function mirrorClient(
  server: TestServer,
  userId: number,
  privileges: readonly string[] = [...USER_PRIVILEGES, "mirror.use"],
  mount = "",
): Promise<HubClient> {
  const token = await mintToken({ userId, privileges });
  const { origin } = server;
  return new HubClient({ origin }, new Client(server.url, token), undefined, mount);
}

/** The bytes of a file, as a client gets them. */
export async function download(
  hub: HubClient,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ response: Response; bytes: Uint8Array }> {
  const response = await open(hub, path, headers);
  return { response, bytes: await response.bytes() };
}

/** Begins a download. */
export function open(
  hub: HubClient,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(hub.url + path, { headers: { Authorization: `Bearer ${hub.token}`, ...headers } });
}
