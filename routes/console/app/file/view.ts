import { type ComponentChild, h } from "preact";
import { useEffect } from "preact/hooks";
import type { StatEntry } from "../../../../schemas/verdicts.ts";
import { ApiError, call } from "../shared/api.ts";
import { bytes, count, time } from "../shared/format.ts";
import { isOfResource, type LiveEvent, onShown } from "../shared/live.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { isWithin, nameOf, parentOf } from "../shared/paths.ts";
import { goOn, linkTo } from "../shared/router.ts";
import { may, shownAt, userLabel } from "../shared/session.ts";
import { Button } from "../ui/button.ts";
import { Icon } from "../ui/icon.ts";
import { Card, Facts } from "../ui/pairs.ts";
import { below, openMenu } from "../ui/menu.ts";
import { Notice } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { DownloadButtons, SeeWhy } from "../files/download_buttons.ts";
import { entryActions } from "../files/entry_menu.ts";
import { startScan } from "../files/start_scan.ts";
import { askForLink } from "../files/share.ts";
import { readContent } from "./content.ts";
import { ContentCards } from "./content_cards.ts";
import { Neighbors } from "./neighbors.ts";
import { previewKind } from "../preview/kinds.ts";
import { Preview } from "../preview/preview.ts";
import { showVerdict, VerdictCard } from "./verdict_card.ts";

/** The page of a file: what is known of it, what its header says, and what scans say. */
export function FileView({ path }: { readonly path: string }): ComponentChild {
  const stat = useLoaded(
    (signal) => call<StatEntry>("GET", "/resources/stat", { query: { path }, signal }),
    [path],
    (event) => concerns(event, path),
  );
  const { state, reload } = stat;
  const id = state.kind === "loaded" ? state.data.id : undefined;
  useEffect(
    () =>
      onShown((event) => {
        if (!isOfResource(event) || event.type === "resource.verdict") return;
        const { data } = event;
        if (data.id !== id || data.path === path || event.type === "resource.deleted") return;
        toast(`“${path}” was moved to “${data.path}”`);
        goOn("file", data.path);
      }),
    [id, path],
  );
  const error = state.kind === "failed" ? state.error : undefined;
  if (error instanceof ApiError && error.code === "ErrResourcesNotFound") {
    return h(
      Notice,
      { icon: "question", title: "This file does not exist", isPage: true },
      h("p", null, "It was deleted, or the address is wrong."),
      h("a", { href: linkTo("files", parentOf(path)) }, "Open its folder"),
    );
  }
  return h(Await<StatEntry>, {
    loading: stat,
    what: "the file",
    isPage: true,
    children: (file) => {
      if (!file.is_dir) return h(FilePage, { file, reload });
      goOn("files", file.path);
      return null;
    },
  });
}

/** Whether an event changes what is known of a file. */
function concerns(event: LiveEvent, path: string): boolean {
  if (event.type === "scan.finished") return true;
  return isOfResource(event) && isWithin(path, event.data.path);
}

interface PageProps {
  readonly file: StatEntry;
  readonly reload: () => void;
}

function FilePage({ file, reload }: PageProps): ComponentChild {
  const { path, size, etag, verdict } = file;
  const mayRead = may("resources.download");
  // The same content is not read again, unless the gate decides otherwise now.
  const content = useLoaded(
    (signal) =>
      mayRead && etag !== null
        ? readContent({ path, size, etag }, signal)
        : Promise.resolve({ format: "Unknown" }),
    [etag, verdict?.verdict, verdict?.waiver?.id],
  );
  const { format, head, isBlocked = verdict?.blocked ?? false } = content.state.kind === "loaded"
    ? content.state.data
    : { format: undefined };
  const kind = head && previewKind(path, head);
  return h(
    "div",
    { class: "page" },
    h(Head, { file, isBlocked }),
    h(
      "div",
      { class: "page-columns" },
      h(VerdictCard, { file, reload }),
      h(FactsCard, { file, format: mayRead ? format : undefined }),
    ),
    mayRead && h(ContentCards, { content }),
    kind !== undefined && etag !== null &&
      h(Preview, {
        key: `${kind} ${etag}`,
        ...{ file: { path, size, etag }, kind },
        findings: verdict?.findings ?? [],
      }),
  );
}

function Head(
  { file, isBlocked }: { readonly file: StatEntry; readonly isBlocked: boolean },
): ComponentChild {
  const { path, verdict } = file;
  const verdicts = new Map(verdict === null ? [] : [[file.id, verdict]]);
  const folder = parentOf(path);
  return h(
    "header",
    { class: "page-head" },
    h(
      "div",
      { class: "page-title" },
      h(
        "a",
        { href: linkTo("files", folder), class: "back" },
        h(Icon, { name: "back" }),
        h("bdi", null, folder === "" ? "Top folder" : folder),
      ),
      h("h1", null, h("bdi", null, nameOf(path))),
    ),
    h(
      "div",
      { class: "actions", role: "group", "aria-label": "This file" },
      h(Neighbors, { path }),
      isBlocked && h(SeeWhy, { onClick: showVerdict }),
      may("resources.download") && !isBlocked && h(DownloadButtons, {
        entries: [file],
        verdicts,
        onReason: showVerdict,
      }),
      may("scans.run") && may("resources.download") &&
        h(Button, { label: "Scan", icon: "scans", onClick: () => void startScan(path) }),
      may("resources.download") && !isBlocked && shownAt.value === undefined &&
        h(Button, { label: "Share", icon: "link", onClick: () => askForLink(path) }),
      h(Button, {
        label: "More actions",
        icon: "dots",
        iconOnly: true,
        hasMenu: true,
        onClick: ({ currentTarget }) => {
          if (!(currentTarget instanceof Element)) return;
          const items = entryActions([file], { verdicts, isBlocked });
          openMenu({ label: `Actions for ${nameOf(path)}`, items, at: below(currentTarget) });
        },
      }),
    ),
  );
}

function FactsCard(
  { file, format }: { readonly file: StatEntry; readonly format: string | undefined },
): ComponentChild {
  const { size, created_at: created, updated_at: updated, md5, sha256, crc32, user_id: owner } =
    file;
  return h(
    Card,
    { title: "Facts" },
    h(Facts, {
      facts: [
        ["Size", size < 1024 ? bytes(size) : `${bytes(size)} (${count(size)} bytes)`],
        ...(format === undefined ? [] : [["Format", format] as const]),
        ["Changed", h("time", { dateTime: updated }, time(updated))],
        ["Added", h("time", { dateTime: created }, time(created))],
        ["Tree", h("bdi", null, userLabel(owner))],
        ["SHA-256", h("code", null, sha256 ?? "Not yet computed")],
        ["MD5", h("code", null, md5 ?? "–")],
        ["CRC-32", h("code", null, crc32 ?? "–")],
      ],
    }),
  );
}
