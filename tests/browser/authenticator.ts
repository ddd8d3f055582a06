import type { Page } from "playwright-core";

/** Gives a page an authenticator that confirms by itself. Returns what ends it. */
export async function withAuthenticator(page: Page): Promise<() => Promise<unknown>> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "usb",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return () => session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
}
