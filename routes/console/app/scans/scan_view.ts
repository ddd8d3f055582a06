import { type ComponentChild, h } from "preact";
import type { ScanEntry } from "../../../../schemas/scans.ts";
import { ApiError, call, request } from "../shared/api.ts";
import { bytes, count, duration, plural, time } from "../shared/format.ts";
import { isOfScan } from "../shared/live.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { linkTo } from "../shared/router.ts";
import { may } from "../shared/session.ts";
import { Button } from "../ui/button.ts";
import { Icon } from "../ui/icon.ts";
import { Card, Facts } from "../ui/pairs.ts";
import { messageOf, Notice } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { askToRemove } from "./actions.ts";
import { loadReport, type ShownReport } from "./report.ts";
import { ReportView } from "./report_view.ts";
import { CancelButton, OutcomeBadge, ScanProgress, subjectOf } from "./scan_row.ts";

/** The page of a scan: how far it is, or its report. @param file The file to show first, if not all. */
export function ScanView(
  { id, file }: { readonly id: number; readonly file: string },
): ComponentChild {
  const scan = useLoaded(
    (signal) => call<ScanEntry>("GET", `/scans/${id}`, { signal }),
    [id],
    (event) => isOfScan(event) && event.data.id === id,
  );
  const { state } = scan;
  if (state.kind === "failed" && state.error instanceof ApiError && state.error.status === 404) {
    return h(
      Notice,
      { icon: "question", title: "There is no such scan", isPage: true },
      h("p", null, "It was removed, or the address is wrong."),
      h("a", { href: linkTo("scans") }, "Open the list of scans"),
    );
  }
  return h(Await<ScanEntry>, {
    loading: scan,
    what: "the scan",
    isPage: true,
    children: (entry) =>
      h(
        "div",
        { class: "page" },
        h(Head, { scan: entry }),
        entry.error !== null &&
          h("p", { class: "banner" }, h(Icon, { name: "alert" }), entry.error),
        entry.finished_at === null
          ? h(
            Card,
            { title: "Progress" },
            h("ul", { class: "scan-list" }, h(ScanProgress, { scan: entry })),
          )
          : hasReport(entry) && h(Outcome, { key: "outcome", scan: entry, file }),
      ),
  });
}

function hasReport({ status }: ScanEntry): boolean {
  return status === "completed" || status === "failed";
}

function Head({ scan }: { readonly scan: ScanEntry }): ComponentChild {
  const { id, finished_at: end } = scan;
  return h(
    "header",
    { class: "page-head" },
    h(
      "div",
      { class: "page-title" },
      h("a", { href: linkTo("scans"), class: "back" }, h(Icon, { name: "back" }), "Scans"),
      h("h1", null, `Scan ${id}: `, h("bdi", null, subjectOf(scan))),
    ),
    h(
      "div",
      { class: "actions", role: "group", "aria-label": "This scan" },
      h(OutcomeBadge, { scan }),
      end === null ? h(CancelButton, { scan }) : may("scans.run") &&
        h(Button, { label: "Remove", icon: "trash", onClick: () => askToRemove(scan) }),
    ),
  );
}

function Outcome(
  { scan, file }: { readonly scan: ScanEntry; readonly file: string },
): ComponentChild {
  const report = useLoaded((signal) => loadReport(scan.id, signal), [scan.id]);
  return h(Await<ShownReport>, {
    loading: report,
    what: "the report",
    children: ({ source, content }) => [
      h(
        Card,
        {
          key: "summary",
          title: "Report",
          actions: h(
            "div",
            { class: "actions worded", role: "group", "aria-label": "Download the report" },
            h(Button, {
              label: "Download JSON",
              icon: "download",
              onClick: () => save(source, `scan-${scan.id}.json`),
            }),
            h(Button, {
              label: "Download SARIF",
              icon: "download",
              onClick: () => void saveSarif(scan.id),
            }),
          ),
        },
        h("p", null, sentenceOf(scan)),
        h(Facts, {
          facts: [
            ["Files", `${count(scan.files_scanned)}, ${bytes(scan.bytes_scanned)}`],
            ["Finished", time(scan.finished_at ?? scan.created_at)],
            ...(content === undefined ? [] : [
              [
                "Took",
                content.duration < 1 ? "Less than a second" : duration(content.duration),
              ] as const,
              [
                "Checks",
                `${count(content.checks.passed)} of ${count(content.checks.total)} passed`,
              ] as const,
            ]),
          ],
        }),
      ),
      content === undefined
        ? h("p", { key: "large", class: "banner" }, "The report is too large to show. Download it.")
        : h(ReportView, { key: `report ${file}`, report: content, file }),
    ],
  });
}

/** The outcome in a sentence. */
function sentenceOf({ status, issues, files_scanned: files }: ScanEntry): string {
  if (status === "failed") return "No file could be scanned.";
  const { critical, warning, info } = issues;
  const parts = [
    critical > 0 && plural(critical, "critical finding"),
    warning > 0 && plural(warning, "warning"),
    info > 0 && plural(info, "note"),
  ].filter((it) => it !== false);
  return `${parts.length === 0 ? "Nothing found" : parts.join(", ")} in ${plural(files, "file")}.`;
}

/** Has the server make a SARIF log, which services for code read, and the browser save it. */
async function saveSarif(id: number): Promise<void> {
  try {
    const query = { format: "sarif" };
    const response = await request("GET", `/scans/${id}/report`, { query });
    save(await response.blob(), `scan-${id}.sarif`);
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}

/** Has the browser save what was received. */
function save(source: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(source);
  link.download = name;
  link.click();
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
