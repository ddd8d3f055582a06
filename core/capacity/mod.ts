/** What the host can carry, and the leases of what runs on it (HC, C 14). */
export type { ContainerLimits } from "./cgroup.ts";
export * from "./history.ts";
export { containerLimits, getHostSize, type HostSize } from "./host_size.ts";
export * from "./instances.ts";
export * from "./label.ts";
export * from "./leases.ts";
export * from "./level.ts";
export * from "./overview.ts";
export * from "./stats.ts";
export * from "./tools.ts";
export * from "./tunables.ts";
