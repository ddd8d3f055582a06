/** The pages of the room Mirror, which browsers load together. */

export { RevisionView } from "./revision_view.ts";
export { MirrorView } from "./view.ts";
