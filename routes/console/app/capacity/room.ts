import { h } from "preact";
import { later } from "../ui/later.ts";
import type { Room } from "../ui/room.ts";

const CapacityView = later("capacity", async () => (await import("./view.ts")).CapacityView);

export const capacityRoom: Room = {
  id: "capacity",
  title: "Capacity",
  icon: "capacity",
  privilege: "capacity.view",
  ofHost: true,
  view: () => h(CapacityView, {}),
};
