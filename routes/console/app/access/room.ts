import { h } from "preact";
import type { Room } from "../ui/room.ts";
import { AccessView } from "./view.ts";

export const accessRoom: Room = {
  id: "access",
  title: "Access",
  icon: "access",
  privilege: "resources.view",
  view: () => h(AccessView, null),
};
