import { type ComponentChild, h, type TargetedEvent } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Severity } from "../../../../schemas/report/findings.ts";
import { count, plural } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { Button } from "../ui/button.ts";
import { Icon } from "../ui/icon.ts";
import { VerdictBadge } from "../ui/verdict.ts";
import { FindingItem, SEVERITIES, severityWord } from "./finding.ts";
import { type FileFinding, type Filter, grouped, type ReportContent } from "./report.ts";

/** Findings that are shown at first, and more at each request; more files than that are not listed. */
const STEP = 100;
const MAX_QUIET = 1000;

/** A report to read: worst first, by file, with what narrows it down. */
export function ReportView(
  { report, file }: { readonly report: ReportContent; readonly file: string },
): ComponentChild {
  const [filter, setFilter] = useState<Filter>({
    severities: new Set<Severity>(["critical", "warning", "info"]),
    rule: "",
    words: file,
  });
  const groups = useMemo(() => grouped(report.findings, filter), [report, filter]);
  return [
    h(Filters, { key: "filters", report, filter, onFilter: setFilter }),
    h(FindingsByFile, { key: "findings", groups, verdicts: report.verdicts }),
    groups.length === 0 && h(
      "p",
      { key: "none", class: "nothing", role: "status" },
      h(Icon, { name: "check" }),
      report.findings.length === 0 ? "Nothing was found." : "No finding matches the filters.",
    ),
    report.quiet.length > 0 && h(QuietFiles, { key: "quiet", paths: report.quiet }),
  ];
}

function Filters(
  { report, filter, onFilter }: {
    readonly report: ReportContent;
    readonly filter: Filter;
    readonly onFilter: (filter: Filter) => void;
  },
): ComponentChild {
  const { findings } = report;
  const rules = useMemo(
    () => [...new Set(findings.map(({ rule_code: code }) => code ?? ""))].filter(Boolean).sort(),
    [findings],
  );
  if (findings.length === 0) return null;
  const toggle = (severity: Severity) => {
    const severities = new Set(filter.severities);
    if (!severities.delete(severity)) severities.add(severity);
    onFilter({ ...filter, severities });
  };
  return h(
    "div",
    { class: "filters", role: "group", "aria-label": "Filters" },
    SEVERITIES.map((severity) => {
      const found = findings.filter((it) => it.severity === severity).length;
      return found > 0 && h(Button, {
        key: severity,
        label: `${severityWord(severity)} ${count(found)}`,
        pressed: filter.severities.has(severity),
        onClick: () => toggle(severity),
      });
    }),
    rules.length > 1 && h(
      "select",
      {
        "aria-label": "Rule",
        value: filter.rule,
        onChange: (event: TargetedEvent<HTMLSelectElement>) =>
          onFilter({ ...filter, rule: event.currentTarget.value }),
      },
      h("option", { value: "" }, "All rules"),
      rules.map((rule) => h("option", { key: rule, value: rule }, rule)),
    ),
    h("input", {
      class: "search",
      type: "search",
      "aria-label": "Filter by path",
      placeholder: "Filter by path",
      value: filter.words,
      onInput: (event: TargetedEvent<HTMLInputElement>) =>
        onFilter({ ...filter, words: event.currentTarget.value }),
    }),
  );
}

type Groups = readonly (readonly [path: string, findings: readonly FileFinding[]])[];

/** Findings, a card for each file. */
export function FindingsByFile(
  { groups, verdicts }: { readonly groups: Groups; readonly verdicts: ReportContent["verdicts"] },
): ComponentChild {
  const [shown, setShown] = useState(STEP);
  const total = groups.reduce((sum, [, findings]) => sum + findings.length, 0);
  let left = shown;
  const cards = [];
  for (const [path, findings] of groups) {
    if (left <= 0) break;
    cards.push(h(FileFindings, { key: path, path, verdicts, findings: findings.slice(0, left) }));
    left -= findings.length;
  }
  return [
    cards,
    total > shown && h(
      "p",
      { key: "more" },
      h(Button, {
        label: `Show more of ${plural(total - shown, "finding")}`,
        onClick: () => setShown(shown + STEP),
      }),
    ),
  ];
}

function FileFindings(
  { path, findings, verdicts }: {
    readonly path: string;
    readonly findings: readonly FileFinding[];
    readonly verdicts: ReportContent["verdicts"];
  },
): ComponentChild {
  const verdict = verdicts.get(path);
  return h(
    "section",
    { class: "card part", "aria-label": path },
    h(
      "header",
      { class: "part-head" },
      h("h2", null, h("a", { href: linkTo("file", path) }, h("bdi", null, path))),
      verdict !== undefined && h(VerdictBadge, { verdict }),
    ),
    h(
      "ul",
      { class: "findings" },
      findings.map((finding, index) => h(FindingItem, { key: index, finding })),
    ),
  );
}

function QuietFiles({ paths }: { readonly paths: readonly string[] }): ComponentChild {
  const shown = paths.slice(0, MAX_QUIET);
  return h(
    "details",
    { class: "card quiet-files" },
    h("summary", null, `${plural(paths.length, "file")} without findings`),
    h(
      "ul",
      null,
      shown.map((path) =>
        h("li", { key: path }, h("a", { href: linkTo("file", path) }, h("bdi", null, path)))
      ),
    ),
    paths.length > shown.length &&
      h("p", { class: "muted" }, `and ${count(paths.length - shown.length)} more`),
  );
}
