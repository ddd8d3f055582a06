import * as v from "valibot";
import { NewLinkEntry } from "../../schemas/links.ts";
import { type Client, dataOf, type Reply } from "./client.ts";

export type NewLink = v.InferOutput<typeof NewLinkEntry>;

/** Makes a link, for an hour if nothing else is said. */
export async function linkTo(
  client: Client,
  path: string,
  options: { expires_in?: number | string; once?: boolean } = {},
): Promise<NewLink> {
  const reply = await client.json("POST", "/links/", { path, expires_in: "1h", ...options });
  return v.parse(NewLinkEntry, dataOf(reply));
}

/** Follows a link without a credential, and reads the whole response. */
export async function follow(
  link: string | { readonly url: string },
  init: RequestInit = {},
): Promise<Reply> {
  const response = await fetch(typeof link === "string" ? link : link.url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
