import { type ComponentChild, h } from "preact";
import { Store, useStore } from "../shared/store.ts";

/** What a drop would do. */
export interface Landing {
  readonly verb: "upload" | "move";
  /** The folder that it would go to. */
  readonly path: string;
}

/** What a drop would do where the pointer is. Undefined where nothing takes it. */
export const landing = new Store<Landing | undefined>(undefined);

/** Says what a drop would do, unless that is said already. */
export function showLanding(verb: Landing["verb"], path: string): void {
  const { value } = landing;
  if (value?.verb !== verb || value.path !== path) landing.set({ verb, path });
}

// A drag ends where it is dropped, is given up, or leaves the window.
for (const type of ["drop", "dragend"]) {
  addEventListener(type, () => landing.set(undefined), { capture: true });
}
addEventListener("dragleave", ({ relatedTarget }) => {
  if (relatedTarget === null) landing.set(undefined);
});

/** Says what a drop would do. */
export function LandingHint(): ComponentChild {
  const shown = useStore(landing);
  if (shown === undefined) return null;
  const { verb, path } = shown;
  const text = `Drop to ${verb} to ${path === "" ? "the top folder" : `“${path}”`}`;
  return h("div", { class: "landing", role: "status" }, h("strong", null, text));
}
