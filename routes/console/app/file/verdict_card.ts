import { type ComponentChild, h } from "preact";
import type { StatEntry } from "../../../../schemas/verdicts.ts";
import type { ScanEntry } from "../../../../schemas/scans.ts";
import { call } from "../shared/api.ts";
import { time } from "../shared/format.ts";
import { Ago } from "../ui/ago.ts";
import { useLoaded } from "../ui/loaded.ts";
import { isWithin } from "../shared/paths.ts";
import { linkTo } from "../shared/router.ts";
import { may } from "../shared/session.ts";
import { Button } from "../ui/button.ts";
import { Card, Facts } from "../ui/pairs.ts";
import { FindingItem, placeIn } from "../scans/finding.ts";
import { SignatureBadge } from "../ui/signature.ts";
import { meaningOf, VerdictBadge } from "../ui/verdict.ts";
import { askForWaiver, askToRemoveWaiver } from "../access/waiver_actions.ts";

interface Props {
  readonly file: StatEntry;
  readonly reload: () => void;
}

/** The heading that the page of a dangerous file leads to. */
const VERDICT = "Verdict";

/** Shows what scans say about the file of the page. */
export function showVerdict(): void {
  const card = document.querySelector<HTMLElement>(`section[aria-labelledby=card-${VERDICT}]`);
  card?.scrollIntoView({ block: "start" });
  card?.focus();
}

/** What scans say about a file, and who lets it through nevertheless. */
export function VerdictCard({ file, reload }: Props): ComponentChild {
  const { verdict, path } = file;
  if (verdict === null) return null;
  const { findings, problem, scanned_at: at, scanner_version: version } = verdict;
  return h(
    Card,
    { title: VERDICT, actions: h(VerdictBadge, { verdict: verdict.verdict }) },
    h("p", null, meaningOf(verdict.verdict)),
    problem !== null && h("p", { class: "field-problem" }, problem),
    findings.length > 0 && h(
      "ul",
      { class: "findings" },
      findings.map(({ location = "", ...finding }, index) =>
        h(FindingItem, { key: index, finding: { ...finding, place: placeIn(location) } })
      ),
    ),
    h(Waived, { file, reload }),
    verdict.signature !== undefined && h(
      "p",
      null,
      h(SignatureBadge, { signature: verdict.signature }),
      verdict.signature.reason === undefined ? "" : " ",
      verdict.signature.reason !== undefined && h("bdi", null, verdict.signature.reason),
    ),
    at !== null && h(Facts, {
      facts: [
        ["Scanned", h(Ago, { at })],
        ["Scanner", version ?? "–"],
      ],
    }),
    may("scans.view") && h(ReportLink, { path, at }),
  );
}

/** The waiver of the content, and what administrators do about it. */
function Waived({ file, reload }: Props): ComponentChild {
  const { verdict, sha256 } = file;
  const isAdmin = may("resources.admin");
  const waiver = verdict?.waiver ?? null;
  if (waiver === null) {
    const isAccepted = verdict?.verdict === "clean";
    if (!isAdmin || isAccepted || sha256 === null) return null;
    return h(Button, { label: "Waive…", onClick: () => askForWaiver(sha256, reload) });
  }
  return h(
    "div",
    { class: "banner waived" },
    h(
      "p",
      null,
      "Let through by user ",
      waiver.user_id,
      waiver.expires_at === null ? "" : ` until ${time(waiver.expires_at)}`,
      ": ",
      h("bdi", null, waiver.reason),
    ),
    isAdmin && h(Button, { label: "Remove", onClick: () => askToRemoveWaiver(waiver, reload) }),
  );
}

/** The newest scan with a report that has the file. */
function ReportLink(
  { path, at }: { readonly path: string; readonly at: string | null },
): ComponentChild {
  const { state } = useLoaded(
    async (signal) => {
      const { items } = await call<{ items: readonly ScanEntry[] }>("GET", "/scans/", { signal });
      return items.find(({ status, paths }) =>
        status === "completed" && paths.some((it) => isWithin(path, it))
      );
    },
    [path, at],
    (event) => event.type === "scan.finished",
  );
  if (state.kind !== "loaded" || state.data === undefined) return null;
  const { id } = state.data;
  return h(
    "p",
    null,
    h("a", { href: linkTo("scans", `${id}/${path}`) }, `Full report of scan ${id}`),
  );
}
