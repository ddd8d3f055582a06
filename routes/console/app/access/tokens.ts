import { type ComponentChild, h } from "preact";
import type { TokenEntry } from "../../../../schemas/tokens.ts";
import { holds, userLabel } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { Card } from "../ui/pairs.ts";
import { Rows, type RowsColumn } from "../ui/rows.ts";
import { PagedList, pagesOf, usePaged } from "../ui/paged.ts";
import { useRefresh } from "../ui/refresh.ts";
import { askForToken, askToRevokeToken, makeHubToken, nameOfToken } from "./token_actions.ts";

/** The credentials of the person, or of all users (C 22). */
export function TokensCard(): ComponentChild {
  const isAdmin = holds("resources.admin");
  const tokens = usePaged(pagesOf<TokenEntry>("/tokens/", ({ jti }) => jti, { inTree: false }));
  useRefresh(tokens);
  return h(
    Card,
    {
      title: "Credentials",
      actions: [
        h(Button, {
          key: "hf",
          label: "Credential for hf",
          onClick: () => void makeHubToken(tokens.reload),
        }),
        h(Button, {
          key: "new",
          label: "New credential",
          icon: "plus",
          onClick: () => askForToken(tokens.reload),
        }),
      ],
    },
    h(
      "p",
      { class: "muted" },
      "Give each program one of its own, with what it needs. Revoking a credential revokes those that " +
        "it has made. Those for other users are made on the server: ",
      h("code", null, "strongroom token --user 3"),
    ),
    h(PagedList<TokenEntry>, {
      paged: tokens,
      what: "credentials",
      empty: "No credential is recorded.",
      children: (items) =>
        h(Rows<TokenEntry>, {
          label: "Credentials",
          rows: items,
          keyOf: ({ jti }) => jti,
          columns: columnsOf(isAdmin, tokens.reload),
        }),
    }),
  );
}

function columnsOf(isAdmin: boolean, reload: () => void): readonly RowsColumn<TokenEntry>[] {
  const user: RowsColumn<TokenEntry> = {
    title: "User",
    cell: ({ user_id: id }) => id === null ? "Another issuer" : h("bdi", null, userLabel(id)),
  };
  return [
    {
      title: "Credential",
      cell: (token) => [
        h("bdi", { key: "name" }, nameOfToken(token)),
        token.short !== undefined &&
        h("div", { key: "short", class: "muted" }, usedText(token.short)),
        token.is_current &&
        h("div", { key: "current", class: "muted" }, "You are signed in with it"),
      ],
    },
    ...isAdmin ? [user] : [],
    { title: "Permits", kind: "code", cell: permitsOf },
    { title: "State", cell: stateOf },
    {
      title: "Revoke",
      cell: (token) =>
        token.revoked_at === null && !isExpired(token) && h(Button, {
          label: "Revoke",
          describes: nameOfToken(token),
          onClick: () => askToRevokeToken(token, reload),
        }),
    },
  ];
}

/** What a short credential is, and when it was used. */
function usedText(
  { last_used_at: used, access_key_id: key = "hf_…" }: NonNullable<TokenEntry["short"]>,
): ComponentChild {
  if (used === null) return `${key}, never used`;
  return [
    `${key}, used `,
    h(Ago, { key: "time", at: used }),
  ];
}

function permitsOf({ privileges, trees }: TokenEntry): string {
  const others = Object.entries(trees).map(([tree, names]) => `tree ${tree}: ${names.join(", ")}`);
  return [privileges.join(", "), ...others].filter((it) => it !== "").join("; ");
}

function isExpired({ expires_at: end }: TokenEntry): boolean {
  return end !== null && Date.parse(end) <= Date.now();
}

function stateOf(token: TokenEntry): ComponentChild {
  const { revoked_at: revoked, expires_at: end } = token;
  const moment = (word: string, iso: string) => [
    `${word} `,
    h(Ago, { key: "time", at: iso }),
  ];
  if (revoked !== null) return moment("Revoked", revoked);
  if (end === null) return "Valid";
  return moment(isExpired(token) ? "Expired" : "Expires", end);
}
