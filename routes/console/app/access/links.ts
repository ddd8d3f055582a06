import { type ComponentChild, h } from "preact";
import type { InferOutput } from "valibot";
import type { ListedLink } from "../../../../schemas/links.ts";
import { call } from "../shared/api.ts";
import { isOfResource } from "../shared/live.ts";
import { linkTo } from "../shared/router.ts";
import { userLabel } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { ask } from "../ui/dialog.ts";
import { Card } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import { toast } from "../ui/toasts.ts";
import { PagedList, pagesOf, usePaged } from "../ui/paged.ts";
import { useRefresh } from "../ui/refresh.ts";

type Link = InferOutput<typeof ListedLink>;

const STATUS: Readonly<Record<Link["status"], string>> = {
  active: "Active",
  used: "Used up",
  gone: "Its file is gone",
  ended: "Ended with its credential",
};

/** The links into the shown tree (C 19), which serve people without a credential. */
export function LinksCard(): ComponentChild {
  const links = usePaged(
    pagesOf<Link>("/links/", ({ id }) => String(id), { inTree: true }),
    // Its file may be gone, or there again.
    isOfResource,
  );
  useRefresh(links);
  return h(
    Card,
    { title: "Links" },
    h(
      "p",
      { class: "muted" },
      "The page of a file makes them. They serve people without a credential.",
    ),
    h(PagedList<Link>, {
      paged: links,
      what: "links",
      empty: "There are no links.",
      children: (items) =>
        h(Rows<Link>, {
          label: "Links",
          rows: items,
          keyOf: ({ id }) => id,
          columns: [
            {
              title: "Path",
              cell: ({ path }) => h("a", { href: linkTo("file", path) }, h("bdi", null, path)),
            },
            {
              title: "Status",
              cell: ({ status, once }) => STATUS[status] + (once ? ", one download" : ""),
            },
            {
              title: "Made by",
              cell: ({ created_by: user, jti }) => [
                h("bdi", { key: "user" }, userLabel(user)),
                jti !== null &&
                h("div", { key: "jti", class: "muted" }, "with ", h("bdi", null, jti)),
              ],
            },
            {
              title: "Expires",
              cell: ({ expires_at: end }) => h(Ago, { at: end }),
            },
            {
              title: "Revoke",
              cell: (link) =>
                h(Button, {
                  label: `Revoke link ${link.id}`,
                  onClick: () => askToRevoke(link, links.reload),
                }),
            },
          ],
        }),
    }),
  );
}

function askToRevoke({ id, path }: Link, then: () => void): void {
  ask({
    title: `Revoke link ${id}?`,
    action: "Revoke",
    kind: "danger",
    body: () => h("p", null, "It serves “", h("bdi", null, path), "” no longer."),
    run: async () => {
      await call("DELETE", `/links/${id}`);
      toast(`Revoked link ${id}`);
      then();
    },
  });
}
