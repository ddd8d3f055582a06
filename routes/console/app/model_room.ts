import { h } from "preact";
import { later } from "./ui/later.ts";
import type { Room } from "./ui/room.ts";

const ModelView = later("the model", async () => (await import("./pages.ts")).ModelView);

/** `#/model/models/a/b`: a folder of the room Files as the model that it has. */
export const modelRoom: Room = {
  id: "model",
  within: "files",
  title: "Model",
  icon: "file",
  privilege: "resources.view",
  view: ({ path }) => h(ModelView, { key: path, path }),
};
