import { type ComponentChild, h } from "preact";
import type { ScanEntry } from "../../../../schemas/scans.ts";
import { bytes, count, plural } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { may } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { Icon, type IconName } from "../ui/icon.ts";
import { cancel } from "./actions.ts";
import { severityWord } from "./finding.ts";
import type { Verdict } from "../../../../schemas/verdict_names.ts";
import { meaningOf, verdictWord } from "../ui/verdict.ts";

const STATUS: Readonly<
  Record<ScanEntry["status"], { word: string; icon: IconName; badge: string }>
> = {
  queued: { word: "Waiting", icon: "wait", badge: "pending" },
  running: { word: "Running", icon: "play", badge: "pending" },
  completed: { word: "Completed", icon: "check", badge: "clean" },
  failed: { word: "Failed", icon: "question", badge: "failed" },
  cancelled: { word: "Cancelled", icon: "minus", badge: "unscanned" },
};

/** What was requested: `models and 3 more`. */
export function subjectOf({ paths, paths_total: total }: ScanEntry): string {
  const [first = ""] = paths;
  const name = first === "" ? "Everything" : first;
  return total > 1 ? `${name} and ${count(total - 1)} more` : name;
}

/** What a scan that ended came to, in the word for a file with its worst finding. */
export function outcomeOf({ status, issues, error }: ScanEntry): Verdict {
  if (status !== "completed") return status === "failed" ? "failed" : "unscanned";
  if (issues.critical > 0) return "dangerous";
  if (issues.warning > 0) return "suspicious";
  return error === null ? "clean" : "inconclusive";
}

/** What a scan came to, by its worst findings. */
export function OutcomeBadge({ scan }: { readonly scan: ScanEntry }): ComponentChild {
  const { status, issues } = scan;
  const outcome = outcomeOf(scan);
  if (outcome === "dangerous" || outcome === "suspicious") {
    const worst = outcome === "dangerous" ? "critical" : "warning";
    const words = `${count(issues[worst])} ${severityWord(worst).toLowerCase()}`;
    return h(
      "span",
      { class: `badge badge-${outcome}`, title: meaningOf(outcome) },
      h(Icon, { name: outcome === "dangerous" ? "cross" : "alert" }),
      `${verdictWord(outcome)}: ${words}`,
    );
  }
  const isIncomplete = status === "completed" && scan.error !== null;
  const { word, icon, badge } = isIncomplete
    ? { word: "Inconclusive", icon: "question" as const, badge: "inconclusive" }
    : status === "completed"
    ? { ...STATUS.completed, word: "Nothing found" }
    : STATUS[status];
  return h("span", { class: `badge badge-${badge}` }, h(Icon, { name: icon }), word);
}

/** A scan in a list. */
export function ScanRow(
  { scan, isChosen, onChoose }: {
    readonly scan: ScanEntry;
    readonly isChosen?: boolean;
    readonly onChoose?: () => void;
  },
): ComponentChild {
  const { id, status, files_total: files, bytes_total: size, finished_at: end } = scan;
  const at = end ?? scan.created_at;
  return h(
    "li",
    { class: "scan-row" },
    onChoose !== undefined && h("input", {
      type: "checkbox",
      "aria-label": `Compare scan ${id}`,
      checked: isChosen ?? false,
      onChange: onChoose,
    }),
    h(
      "div",
      { class: "scan-what" },
      h("a", { href: linkTo("scans", String(id)) }, h("bdi", null, subjectOf(scan))),
      h(
        "span",
        { class: "muted" },
        `Scan ${id} · ${plural(files, "file")} · ${bytes(size)} · `,
        h(Ago, { at }),
      ),
    ),
    h(OutcomeBadge, { scan }),
    status === "queued" && h(CancelButton, { scan }),
  );
}

/** A scan that runs, with how far it is. */
export function ScanProgress({ scan }: { readonly scan: ScanEntry }): ComponentChild {
  const { id, files_total: files, files_scanned: done, bytes_total: all, bytes_scanned: read } =
    scan;
  return h(
    "li",
    { class: "scan-row" },
    h(
      "div",
      { class: "scan-what" },
      h("a", { href: linkTo("scans", String(id)) }, h("bdi", null, subjectOf(scan))),
      h("progress", { "aria-label": `Progress of scan ${id}`, max: Math.max(1, all), value: read }),
      h(
        "span",
        { class: "muted number" },
        `${count(done)} of ${plural(files, "file")}, ${bytes(read)} of ${bytes(all)}`,
      ),
    ),
    h(OutcomeBadge, { scan }),
    h(CancelButton, { scan }),
  );
}

export function CancelButton({ scan }: { readonly scan: ScanEntry }): ComponentChild {
  if (!may("scans.run")) return null;
  return h(Button, { label: "Cancel", onClick: () => void cancel(scan) });
}
