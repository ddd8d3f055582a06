import type { Context } from "hono";
import type { PeopleStore } from "../../core/people/store.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { sharesOfEntries, sharesOfExtensions, sharesOfUsers } from "../../core/tree/shares.ts";
import type { EntryShares, ExtensionShares, UserShares } from "../../schemas/shares.ts";
import { compressed, success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { parseQuery, wantsAll } from "../request/query.ts";
import { callerOf } from "../serving/auth.ts";

type Handled = Context<AppEnvironment>;

/** `GET /usage/entries` (C 24). */
export async function showEntryShares(c: Handled, tree: Tree): Promise<Response> {
  const [path = ""] = parseQuery(c.req.url).get("path") ?? [];
  const { directory, items, others } = await sharesOfEntries(tree, { ...requestOf(c), path });
  const shares: EntryShares = {
    path: directory,
    items: items.map(({ name, isDir, files, bytes }) => ({
      name,
      path: directory === "" ? name : `${directory}/${name}`,
      is_dir: isDir,
      files,
      bytes,
    })),
    others,
  };
  return compressed(c, shares);
}

/** `GET /usage/extensions` (C 24). */
export async function showExtensionShares(c: Handled, tree: Tree): Promise<Response> {
  const all = wantsAll(parseQuery(c.req.url));
  const { items, others } = await sharesOfExtensions(tree, { ...requestOf(c), all });
  const shares: ExtensionShares = {
    items: items.map(({ name, files, bytes }) => ({ extension: name, files, bytes })),
    others,
  };
  return success(c, shares);
}

/** `GET /users/usage` (C 24). */
export async function showUserShares(
  c: Handled,
  tree: Tree,
  people: Pick<PeopleStore, "findByNumber">,
): Promise<Response> {
  const { items, others } = await sharesOfUsers(tree, requestOf(c));
  const shares: UserShares = {
    items: await Promise.all(items.map(async ({ name, files, bytes }) => {
      const user = Number(name);
      const person = await people.findByNumber(user);
      return { user_id: user, user_name: person?.name ?? null, files, bytes };
    })),
    others,
  };
  return success(c, shares);
}

function requestOf(c: Handled) {
  return { caller: callerOf(c), signal: c.req.raw.signal };
}
