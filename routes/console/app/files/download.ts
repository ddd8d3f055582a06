import { type ComponentChild, h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { VerdictEntry } from "../../../../schemas/verdicts.ts";
import { ApiError, apiUrl, list, request } from "../shared/api.ts";
import { plural } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { ask } from "../ui/dialog.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { BY_CONCERN, VerdictBadge } from "../ui/verdict.ts";

/** The most records that a request may name. */
const MAX_IDS = 1000;
/** Of more blocked files, the first ones are shown. */
const MAX_SHOWN = 5;

/**
 * Has the browser save files: one as it is, others as a ZIP. If the gate blocks some of them, asks whether to
 * save the others. Says why if the server refuses.
 */
export async function download(entries: readonly ResourceEntry[]): Promise<void> {
  if (entries.length > MAX_IDS) {
    toast(`Select at most ${MAX_IDS} files, or the folder that they are in`, { isError: true });
    return;
  }
  const ids = entries.map(({ id }) => id);
  try {
    const refusal = await refusalOf(ids);
    if (refusal === undefined) return save(ids);
    const rest = isOfGate(refusal) ? await withoutBlocked(entries) : undefined;
    if (rest === undefined) toast(messageOf(refusal), { isError: true });
    else askToSaveOthers(rest);
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}

interface Rest {
  readonly allowed: readonly VerdictEntry[];
  readonly blocked: readonly VerdictEntry[];
}

/** The files that the gate admits, and the others. Undefined if it admits none, or too many to name. */
async function withoutBlocked(entries: readonly ResourceEntry[]): Promise<Rest | undefined> {
  const files: VerdictEntry[] = [];
  for (const { path } of entries) {
    const query = { path, recursive: "true" };
    for await (const items of list<VerdictEntry>("/resources/verdicts", { query })) {
      files.push(...items);
      if (files.length > MAX_IDS) return undefined;
    }
  }
  // The server alone knows what its gate accepts: the worst verdicts are left out until it does.
  for (const worst of BY_CONCERN.keys()) {
    const accepted = new Set(BY_CONCERN.slice(worst + 1));
    const isAllowed = ({ verdict, waiver }: VerdictEntry) =>
      waiver !== null || accepted.has(verdict);
    const allowed = files.filter(isAllowed);
    if (allowed.length === 0) return undefined;
    const refusal = await refusalOf(allowed.map(({ id }) => id));
    if (refusal === undefined) return { allowed, blocked: files.filter((it) => !isAllowed(it)) };
    if (!isOfGate(refusal)) throw refusal;
  }
  return undefined;
}

function askToSaveOthers({ allowed, blocked }: Rest): void {
  ask({
    title: `The gate blocks ${plural(blocked.length, "file")}`,
    action: `Download the other ${allowed.length === 1 ? "file" : plural(allowed.length, "file")}`,
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
      save(allowed.map(({ id }) => id));
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

function queryOf(ids: readonly number[]): { readonly "ids[]": readonly string[] } {
  return { "ids[]": ids.map(String) };
}

function save(ids: readonly number[]): void {
  const link = document.createElement("a");
  link.href = apiUrl("/resources/download", queryOf(ids));
  link.download = "";
  link.click();
  toast(`Download of ${plural(ids.length, "item")} started`);
}

/** Why the server refuses a download, if it does. @throws {ApiError} when it cannot be reached. */
async function refusalOf(ids: readonly number[]): Promise<ApiError | undefined> {
  const query = queryOf(ids);
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
