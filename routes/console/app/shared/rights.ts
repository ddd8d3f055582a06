import { refreshSession } from "./api.ts";
import { session } from "./session.ts";

/** How often the server is asked, in milliseconds. */
const AGAIN_MS = 60_000;

/** Asks every now and then what the person may do, while the page is seen: roles change (C 27). Call it once. */
export function followRights(): void {
  const ask = () => {
    if (document.hidden || session.value.kind !== "signedIn") return;
    // Without an answer, the next request tells.
    refreshSession().catch(() => {});
  };
  setInterval(ask, AGAIN_MS);
  document.addEventListener("visibilitychange", ask);
}
