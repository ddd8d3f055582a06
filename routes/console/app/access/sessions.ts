import { type ComponentChild, h } from "preact";
import type { SessionEntry } from "../../../../schemas/console.ts";
import { ownCall } from "../shared/api.ts";
import { time } from "../shared/format.ts";
import { browserName } from "../shared/passkeys.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { ask } from "../ui/dialog.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { Card } from "../ui/pairs.ts";
import { useRefresh } from "../ui/refresh.ts";
import { Rows } from "../ui/rows.ts";
import { toast } from "../ui/toasts.ts";

const MEANS: Readonly<Record<SessionEntry["means"], string>> = {
  credential: "a credential",
  passkey: "a passkey",
  provider: "your provider",
};

/** Where the person is signed in (C 27). */
export function SessionsCard(): ComponentChild {
  const sessions = useLoaded(
    () => ownCall<{ readonly items: readonly SessionEntry[] }>("GET", "/sessions"),
    [],
  );
  useRefresh(sessions);
  return h(
    Card,
    { title: "Where you are signed in" },
    h(Await<{ readonly items: readonly SessionEntry[] }>, {
      loading: sessions,
      what: "the sessions",
      children: ({ items }) =>
        h(Rows<SessionEntry>, {
          label: "Sessions",
          rows: items,
          keyOf: ({ name }) => name,
          columns: [
            {
              title: "Browser",
              cell: (session) => [
                h("span", { key: "name", title: session.browser ?? "" }, nameOf(session)),
                h("div", { key: "means", class: "muted" }, `By ${MEANS[session.means]}`),
              ],
            },
            { title: "Address", kind: "code", cell: ({ address }) => address ?? "" },
            {
              title: "Last used",
              cell: ({ last_used_at: used, created_at: since }) =>
                h(Ago, { at: used, title: `Since ${time(since)}` }),
            },
            {
              title: "End",
              cell: (session) =>
                session.is_current ? "This one" : h(Button, {
                  label: "End",
                  describes: nameOf(session),
                  onClick: () => askToEnd(session, sessions.reload),
                }),
            },
          ],
        }),
    }),
  );
}

function nameOf({ browser }: SessionEntry): string {
  return browserName(browser ?? "");
}

function askToEnd(session: SessionEntry, then: () => void): void {
  ask({
    title: `End the session of ${nameOf(session)}?`,
    action: "End",
    kind: "danger",
    body: () => h("p", null, "Whoever uses it has to sign in again."),
    run: async () => {
      await ownCall("DELETE", `/sessions/${encodeURIComponent(session.name)}`);
      toast("Ended the session");
      then();
    },
  });
}
