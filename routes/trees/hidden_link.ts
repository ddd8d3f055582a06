/**
 * Links whose token is in the fragment of the address, `{origin}/l/#<token>`: browsers do not send that. The
 * spans of the runtime have the address of each request, and no program can remove it there (Deno 2.9.6), so a
 * server whose requests are traced hands out such links (C 31).
 */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { KIB } from "../../schemas/units.ts";
import { BodyReader } from "../request/body.ts";
import { type Handled, LINK_PATH, serveLink } from "./links.ts";
import { respond } from "../reply/respond.ts";
import type { ServedRoute } from "../serving/route.ts";

/** The path of such links: each is served with a form that has its token. */
export const HIDDEN_LINK_PATH = "/l";

/** How long a form may take, in milliseconds. */
const MAX_FORM_MS = 10_000;

const SCRIPT = `
const form = document.forms[0];
form.elements.token.value = location.hash.slice(1);
form.hidden = false;
addEventListener("load", () => form.submit());
`;

const PAGE = new TextEncoder().encode(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Download</title>
<noscript>This link needs JavaScript.</noscript>
<form method="post" hidden>
  <input type="hidden" name="token">
  <button>Download</button>
</form>
<script>${SCRIPT}</script>
</html>
`);

const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** What serves such links. It is not part of the description of the API. */
export const HIDDEN_LINK_ROUTES: readonly ServedRoute[] = [
  {
    method: "GET",
    path: HIDDEN_LINK_PATH,
    handle: (c) =>
      respond(c, PAGE, 200, {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": POLICY,
      }),
  },
  {
    method: "POST",
    path: HIDDEN_LINK_PATH,
    handle: (c, { links }) => serveLink(c, links),
  },
];

/** Whether requests for a route follow a link. */
export function followsLink({ method, path }: Pick<ServedRoute, "method" | "path">): boolean {
  return path === LINK_PATH || path === HIDDEN_LINK_PATH && method === "POST";
}

/**
 * The token of the link that a request follows: in its address, or in its form.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the form cannot be read.
 */
export async function linkTokenOf(c: Handled): Promise<string> {
  if (c.req.method !== "POST") return c.req.param("token") ?? "";
  const limits = { maxBytes: KIB, withinMs: MAX_FORM_MS };
  const form = await new BodyReader(c.req.raw, "form", limits).readAll();
  return new URLSearchParams(Buffer.from(form).toString()).get("token") ?? "";
}
