/** A server whose people sign in by a provider. */

import { ProviderBrowser } from "./console.ts";
import { FakeProvider } from "./fake_provider.ts";
import { TestServer } from "./server.ts";

export async function providerRoom(settings: Record<string, string> = {}) {
  await using made = new AsyncDisposableStack();
  const provider = made.use(await FakeProvider.start());
  const server = made.use(
    await TestServer.start({
      settings: {
        oidcIssuer: provider.issuer,
        oidcClientId: "strongroom",
        oidcClientSecret: "a secret",
        ...settings,
      },
    }),
  );
  const kept = made.move();
  return {
    provider,
    server,
    admin: await server.as(1000, "users.admin", "resources.admin"),
    browser: () => new ProviderBrowser(server),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
