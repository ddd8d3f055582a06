import { type ComponentChild, h } from "preact";
import type { Room } from "../ui/room.ts";
import { CompareView } from "./compare_view.ts";
import { ScanView } from "./scan_view.ts";
import { ScansView } from "./view.ts";

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
  if (first === "compare") {
    const [before, after] = rest;
    return h(CompareView, { key: path, before: Number(before), after: Number(after) });
  }
  if (first !== "") return h(ScanView, { key: first, id: Number(first), file: rest.join("/") });
  return h(ScansView, null);
}
