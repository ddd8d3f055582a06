import { Provider } from "../../core/people/provider.ts";
import type { Settings } from "../../schemas/settings.ts";

/** The provider that people sign in by, if there is one. */
export function providerOf(
  { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret, oidcGroupsClaim }: Settings,
): Provider | undefined {
  return issuer === undefined || clientId === undefined ? undefined : new Provider({
    ...{ issuer, clientId },
    clientSecret: oidcClientSecret,
    groupsClaim: oidcGroupsClaim,
  });
}
