import { type ComponentChild, h } from "preact";
import { later } from "./ui/later.ts";
import type { Room } from "./ui/room.ts";
import { Notice } from "./ui/states.ts";

const CompareView = later(
  "the reports",
  async () => (await import("./pages.ts")).CompareView,
);
const ScanView = later("the scan", async () => (await import("./pages.ts")).ScanView);
const ScansView = later("scans", async () => (await import("./pages.ts")).ScansView);

/** `#/scans`, `#/scans/7`, `#/scans/7/models/a.pkl` for one file, `#/scans/compare/7/9`. */
export const scansRoom: Room = {
  id: "scans",
  title: "Scans",
  icon: "scans",
  privilege: "scans.view",
  view: ({ path }) => pageOf(path),
};

function pageOf(path: string): ComponentChild {
  const [first = "", ...rest] = path.split("/");
  if (first === "") return h(ScansView, {});
  const ids = (first === "compare" ? [rest[0], rest[1]] : [first]).map((text = "") =>
    /^\d{1,15}$/.test(text) ? Number(text) : undefined
  );
  const [id, after] = ids;
  if (id === undefined || first === "compare" && after === undefined) {
    return h(Notice, { icon: "question", title: "There is no such scan", isPage: true });
  }
  return after === undefined
    ? h(ScanView, { key: first, id, file: rest.join("/") })
    : h(CompareView, { key: path, before: id, after });
}
