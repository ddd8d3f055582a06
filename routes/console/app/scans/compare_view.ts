import { type ComponentChild, h } from "preact";
import { useMemo } from "preact/hooks";
import { plural } from "../shared/format.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { linkTo } from "../shared/router.ts";
import { Icon } from "../ui/icon.ts";
import { SEVERITIES } from "./finding.ts";
import { compared, type FileFinding, grouped, loadReport, type ReportContent } from "./report.ts";
import { FindingsByFile } from "./report_view.ts";

/** Two reports: what the later one has that the earlier one had not, and what is gone. */
export function CompareView(
  { before, after }: { readonly before: number; readonly after: number },
): ComponentChild {
  const reports = useLoaded(
    (signal) => Promise.all([before, after].map((id) => contentOf(id, signal))),
    [before, after],
  );
  return h(
    "div",
    { class: "page" },
    h(
      "header",
      { class: "page-title" },
      h("a", { href: linkTo("scans"), class: "back" }, h(Icon, { name: "back" }), "Scans"),
      h("h1", null, `Scans ${before} and ${after} compared`),
    ),
    h(Await<ReportContent[]>, {
      loading: reports,
      what: "two reports",
      children: ([earlier, later]) =>
        earlier !== undefined && later !== undefined && h(Difference, { earlier, later }),
    }),
  );
}

async function contentOf(id: number, signal: AbortSignal): Promise<ReportContent> {
  const { content } = await loadReport(id, signal);
  if (content === undefined) throw new Error(`The report of scan ${id} is too large to compare`);
  return content;
}

function Difference(
  { earlier, later }: { readonly earlier: ReportContent; readonly later: ReportContent },
): ComponentChild {
  const { added, gone, same } = useMemo(() => compared(earlier, later), [earlier, later]);
  return [
    h(
      "p",
      { key: "sum" },
      `${plural(added.length, "new finding")}, ${plural(gone.length, "finding")} gone, ` +
        `${plural(same, "finding")} in both.`,
    ),
    h(Findings, { key: "new", title: "New", findings: added, verdicts: later.verdicts }),
    h(Findings, { key: "gone", title: "Gone", findings: gone, verdicts: earlier.verdicts }),
  ];
}

function Findings(
  { title, findings, verdicts }: {
    readonly title: string;
    readonly findings: readonly FileFinding[];
    readonly verdicts: ReportContent["verdicts"];
  },
): ComponentChild {
  const groups = useMemo(
    () => grouped(findings, { severities: new Set(SEVERITIES), rule: "", words: "" }),
    [findings],
  );
  if (findings.length === 0) return null;
  return h(
    "section",
    { class: "compared", "aria-label": title },
    h("h2", null, title),
    h(FindingsByFile, { groups, verdicts }),
  );
}
