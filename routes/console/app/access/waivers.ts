import { type ComponentChild, h } from "preact";
import type { WaiverEntry } from "../../../../schemas/verdicts.ts";
import { userLabel } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { Card } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import { PagedList, pagesOf, usePaged } from "../ui/paged.ts";
import { useRefresh } from "../ui/refresh.ts";
import { askForWaiver, askToRemoveWaiver } from "./waiver_actions.ts";

/** The waivers (C 18): content that can be downloaded whatever its verdict is. */
export function WaiversCard(): ComponentChild {
  const waivers = usePaged(
    pagesOf<WaiverEntry>("/waivers/", ({ id }) => String(id), { inTree: false }),
  );
  useRefresh(waivers);
  return h(
    Card,
    {
      title: "Waivers",
      actions: h(Button, {
        label: "New waiver",
        icon: "plus",
        onClick: () => askForWaiver("", waivers.reload),
      }),
    },
    h(PagedList<WaiverEntry>, {
      paged: waivers,
      what: "waivers",
      empty: "There are no waivers.",
      children: (items) =>
        h(Rows<WaiverEntry>, {
          label: "Waivers",
          rows: items,
          keyOf: ({ id }) => id,
          columns: [
            { title: "SHA-256", kind: "code", cell: ({ sha256 }) => sha256 },
            { title: "Reason", cell: ({ reason }) => h("bdi", null, reason) },
            { title: "By", cell: ({ user_id: user }) => h("bdi", null, userLabel(user)) },
            {
              title: "Expires",
              cell: ({ expires_at: end }) => end === null ? "Never" : h(Ago, { at: end }),
            },
            {
              title: "Actions",
              cell: (waiver) =>
                h(Button, {
                  label: `Remove waiver ${waiver.id}`,
                  onClick: () => askToRemoveWaiver(waiver, waivers.reload),
                }),
            },
          ],
        }),
    }),
  );
}
