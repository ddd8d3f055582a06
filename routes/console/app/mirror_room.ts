import { h } from "preact";
import { hasMirror } from "./shared/session.ts";
import { later } from "./ui/later.ts";
import type { Room } from "./ui/room.ts";
import { Notice } from "./ui/states.ts";

const MirrorView = later("the mirror", async () => (await import("./pages.ts")).MirrorView);
const RevisionView = later("the revision", async () => (await import("./pages.ts")).RevisionView);

/** `#/mirror`, `#/mirror/7` for a revision. */
export const mirrorRoom: Room = {
  id: "mirror",
  title: "Mirror",
  icon: "mirror",
  privilege: "mirror.use",
  ofHost: true,
  isOffered: hasMirror,
  view({ path }) {
    if (path === "") return h(MirrorView, {});
    if (/^\d{1,15}$/.test(path)) return h(RevisionView, { key: path, id: Number(path) });
    return h(Notice, { icon: "question", title: "There is no such revision", isPage: true });
  },
};
