import { h } from "preact";
import type { Room } from "../ui/room.ts";
import { CapacityView } from "./view.ts";

export const capacityRoom: Room = {
  id: "capacity",
  title: "Capacity",
  icon: "capacity",
  privilege: "capacity.view",
  ofHost: true,
  view: () => h(CapacityView, null),
};
