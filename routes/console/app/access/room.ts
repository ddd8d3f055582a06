import { h } from "preact";
import { later } from "../ui/later.ts";
import type { Room } from "../ui/room.ts";

const AccessView = later("access", async () => (await import("./view.ts")).AccessView);

export const accessRoom: Room = {
  id: "access",
  title: "Access",
  icon: "access",
  privilege: "resources.view",
  view: () => h(AccessView, {}),
};
