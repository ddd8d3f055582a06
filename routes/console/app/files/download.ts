import { type ComponentChild, h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { Verdict } from "../../../../schemas/verdict_names.ts";
import type { VerdictEntry } from "../../../../schemas/verdicts.ts";
import { ApiError, apiUrl, list, type Query, request } from "../shared/api.ts";
import { plural } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { ask } from "../ui/dialog.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { BY_CONCERN, meaningOf, VerdictBadge } from "../ui/verdict.ts";
import { coverOf, requestsFor, type Targets } from "./targets.ts";

/** The verdicts that are known, by the ids of entries. */
export type KnownVerdicts = ReadonlyMap<number, { readonly verdict: Verdict }>;

/** Of more blocked files, the first ones are shown. */
const MAX_SHOWN = 5;

/**
 * Has the browser save files: one as it is, others as a ZIP, or as several if there are more than one request
 * may name. If the gate blocks some of them, asks whether to save the others; if it admits what is known to be
 * dangerous, whether to save that. Says why if the server refuses.
 */
export async function download(
  entries: readonly ResourceEntry[],
  verdicts: KnownVerdicts,
): Promise<void> {
  const all = requestsFor({ files: entries.map(({ id }) => id), folders: [] });
  try {
    const refusal = await refusalOf(all);
    if (refusal === undefined) {
      const dangerous = entries.filter(({ id }) => verdicts.get(id)?.verdict === "dangerous");
      if (dangerous.length > 0) return askToSaveAnyway(dangerous, () => save(all, entries.length));
      return save(all, entries.length);
    }
    const rest = isOfGate(refusal) ? await withoutBlocked(entries) : undefined;
    if (rest === undefined) toast(messageOf(refusal), { isError: true });
    else askToSaveOthers(rest);
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}

/** Has the browser save a file as it was. Asks before, if that is known to be dangerous. */
export async function downloadPast(
  { path, at, verdict }: {
    readonly path: string;
    readonly at: string;
    readonly verdict: Verdict | undefined;
  },
): Promise<void> {
  const query = { path, at };
  try {
    const refusal = await refusalOfOne(query);
    if (refusal !== undefined) return toast(messageOf(refusal), { isError: true });
    if (verdict !== "dangerous") return save([query], 1);
    askToSaveAnyway([{ id: 0, path, is_dir: false }], () => save([query], 1));
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}

interface Rest {
  readonly allowed: readonly VerdictEntry[];
  readonly blocked: readonly VerdictEntry[];
  /** What downloads those that are allowed. */
  readonly requests: readonly Targets[];
}

/** The files that the gate admits, and the others. Undefined if it admits none. */
async function withoutBlocked(entries: readonly ResourceEntry[]): Promise<Rest | undefined> {
  const files: VerdictEntry[] = [];
  for (const { path } of entries) {
    const query = { path, recursive: "true" };
    for await (const items of list<VerdictEntry>("/resources/verdicts", { query })) {
      for (const item of items) files.push(item);
    }
  }
  const roots = entries.map(({ path }) => path);
  // The server alone knows what its gate accepts: the worst verdicts are left out until it does.
  for (const worst of BY_CONCERN.keys()) {
    const accepted = new Set(BY_CONCERN.slice(worst + 1));
    const isAllowed = ({ verdict, waiver }: VerdictEntry) =>
      waiver !== null || accepted.has(verdict);
    const allowed = files.filter(isAllowed);
    const blocked = files.filter((it) => !isAllowed(it));
    if (allowed.length === 0) return undefined;
    const requests = requestsFor(coverOf(roots, allowed, blocked));
    const refusal = await refusalOf(requests);
    if (refusal === undefined) return { allowed, blocked, requests };
    if (!isOfGate(refusal)) throw refusal;
  }
  return undefined;
}

function askToSaveAnyway(
  dangerous: readonly Pick<ResourceEntry, "id" | "path" | "is_dir">[],
  saveAll: () => void,
): void {
  ask({
    title: "Download what is dangerous?",
    action: "Download anyway",
    kind: "danger",
    body: () => [
      h(
        "ul",
        { key: "files", class: "blocked" },
        dangerous.slice(0, MAX_SHOWN).map(({ id, path, is_dir: isDir }) =>
          h(
            "li",
            { key: id },
            h("a", { href: linkTo(isDir ? "files" : "file", path) }, h("bdi", null, path)),
            h(VerdictBadge, { verdict: "dangerous" }),
          )
        ),
      ),
      dangerous.length > MAX_SHOWN &&
      h("p", { key: "more" }, `and ${plural(dangerous.length - MAX_SHOWN, "more")}`),
      h("p", { key: "why" }, meaningOf("dangerous")),
    ],
    run: () => {
      saveAll();
      return Promise.resolve();
    },
  });
}

function askToSaveOthers({ allowed, blocked, requests }: Rest): void {
  const others = allowed.length === 1 ? "file" : plural(allowed.length, "file");
  const archives = requests.length === 1 ? "" : ` in ${plural(requests.length, "archive")}`;
  ask({
    title: `The gate blocks ${plural(blocked.length, "file")}`,
    action: `Download the other ${others}${archives}`,
    body: () => [
      h("ul", { key: "files", class: "blocked" }, blocked.slice(0, MAX_SHOWN).map(BlockedFile)),
      blocked.length > MAX_SHOWN &&
      h("p", { key: "more" }, `and ${plural(blocked.length - MAX_SHOWN, "more file")}`),
      h(
        "p",
        { key: "why", class: "muted" },
        "Open a file to read why. It cannot be downloaded until its verdict changes or an ",
        "administrator waives it.",
      ),
    ],
    run: () => {
      save(requests, allowed.length);
      return Promise.resolve();
    },
  });
}

function BlockedFile({ id, path, verdict }: VerdictEntry): ComponentChild {
  return h(
    "li",
    { key: id },
    h("a", { href: linkTo("file", path) }, h("bdi", null, path)),
    h(VerdictBadge, { verdict }),
  );
}

function isOfGate(error: ApiError): boolean {
  return error.code === "ErrResourcesQuarantined";
}

/** @param count How many files or folders the person asked for. */
function save(requests: readonly Query[], count: number): void {
  for (const targets of requests) {
    const link = document.createElement("a");
    link.href = apiUrl("/resources/download", targets);
    link.download = "";
    link.click();
  }
  toast(`Download of ${plural(count, "item")} started`);
}

/** Why the server refuses one of the requests, if it does. @throws {ApiError} when it cannot be reached. */
async function refusalOf(requests: readonly Query[]): Promise<ApiError | undefined> {
  for (const targets of requests) {
    const refusal = await refusalOfOne(targets);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

async function refusalOfOne(query: Query): Promise<ApiError | undefined> {
  try {
    await request("HEAD", "/resources/download", { query });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.isOffline) throw error;
  }
  try {
    // The reply to a HEAD has no sentence. The same refusal of a GET has.
    const response = await request("GET", "/resources/download", { query });
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
