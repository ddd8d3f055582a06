/** How much the host carries, and who is admitted (host-capacity.md, C 14). */
export * from "./instances.ts";
export * from "./label.ts";
export * from "./leases.ts";
export * from "./level.ts";
export * from "./overview.ts";
export * from "./overview_text.ts";
export * from "./stats.ts";
export * from "./tools.ts";
export * from "./tunables.ts";
