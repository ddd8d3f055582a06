import { type ComponentChild, h } from "preact";
import type { HistoryEntry, HistoryList } from "../../../../schemas/history.ts";
import { call } from "../shared/api.ts";
import { linkWith } from "../shared/router.ts";
import { keepsHistory, shownAt, userLabel } from "../shared/session.ts";
import { unless } from "../shared/unless.ts";
import { Ago } from "../ui/ago.ts";
import { useLoaded } from "../ui/loaded.ts";
import { Card } from "../ui/pairs.ts";
import { concerns } from "./concerns.ts";

interface OfModel {
  readonly path: string;
}

/** What has changed last, with the way to what that did to the model. Nothing for what was added last. */
export function LastChange({ path }: OfModel): ComponentChild {
  const loading = useLoaded(
    (signal) => lastVersion(path, signal),
    [path, shownAt.value],
    (event) => concerns(event, path),
  );
  const { state } = loading;
  if (state.kind !== "loaded" || state.data === undefined) return null;
  const { version, time: at, user_id: user, message } = state.data;
  return h(
    Card,
    { title: "Last change" },
    h(
      "p",
      null,
      h(Ago, { at }),
      " by ",
      h("bdi", null, userLabel(user)),
      message !== null && [": ", h("bdi", { key: "message" }, message)],
    ),
    h(
      "p",
      null,
      h(
        "a",
        { href: linkWith("differences", path, { from_at: String(version - 1) }) },
        "What changed since the last version",
      ),
    ),
  );
}

async function lastVersion(path: string, signal: AbortSignal): Promise<HistoryEntry | undefined> {
  if (!keepsHistory() || shownAt.value !== undefined) return undefined;
  const query = { path, limit: "1" };
  const { items: [last] } = await call<HistoryList>("GET", "/resources/history", { query, signal });
  if (last === undefined) return undefined;
  const before = { path, at: String(last.version - 1) };
  const was = await unless(
    "ErrResourcesNotFound",
    unless("ErrVersionsNotFound", call("GET", "/resources/stat", { query: before, signal })),
  );
  return was === undefined ? undefined : last;
}
