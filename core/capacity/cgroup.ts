/** The limits of a container; Infinity if it has none. */
export interface ContainerLimits {
  readonly cores: number;
  readonly memoryBytes: number;
  /** The memory limit minus the memory in use. */
  readonly availableBytes: number;
}

/**
 * Reads a file by its path from the root. Returns its `text`, or `refused` if reading is not permitted,
 * or neither if there is no such file.
 */
export type ReadText = (path: string) => { readonly text?: string; readonly refused?: boolean };

/** No host has this much memory: a limit of this size means none. */
const MIN_NO_LIMIT_BYTES = 2 ** 60;

/** The files of a cgroup version. */
interface Version {
  readonly memory: {
    readonly limit: string;
    readonly usage: string;
    /** Lines of `memory.stat`: cached files, and those of them that processes have mapped. */
    readonly cached: readonly RegExp[];
    readonly mapped: RegExp;
  };
  /** Cores as quota and period, each in microseconds. */
  readonly cpu: (read: (file: string) => string | undefined) => [string, string] | undefined;
}

const V1: Version = {
  memory: {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cached: [/^total_inactive_file (\d{1,20})$/m, /^total_active_file (\d{1,20})$/m],
    mapped: /^total_mapped_file (\d{1,20})$/m,
  },
  cpu: (read) => {
    const quota = read("cpu.cfs_quota_us");
    const period = read("cpu.cfs_period_us");
    return quota === undefined || period === undefined ? undefined : [quota, period];
  },
};

const V2: Version = {
  memory: {
    limit: "memory.max",
    usage: "memory.current",
    cached: [/^inactive_file (\d{1,20})$/m, /^active_file (\d{1,20})$/m],
    mapped: /^file_mapped (\d{1,20})$/m,
  },
  cpu: (read) => {
    const [quota, period] = (read("cpu.max") ?? "").trim().split(" ");
    return quota === undefined || period === undefined ? undefined : [quota, period];
  },
};

/**
 * The limits of the control groups of this process, version 1 or 2 (C 14): the lowest from its own
 * group up to the root that it sees. Undefined if reading them is not permitted.
 */
export function cgroupLimits(read: ReadText): ContainerLimits | undefined {
  const { text = "", refused } = read("proc/self/cgroup");
  if (refused) return undefined;
  const groups = text.trim().split("\n").flatMap((line) => groupsOf(line));
  const limits = groups.flatMap(({ version, directories }) =>
    directories.map((directory) => {
      const file = (name: string) => read(`${directory}/${name}`).text;
      return { cores: cores(version, file), ...memory(version, file) };
    })
  );
  return {
    cores: Math.min(Infinity, ...limits.map((limit) => limit.cores)),
    memoryBytes: Math.min(Infinity, ...limits.map((limit) => limit.memoryBytes)),
    availableBytes: Math.min(Infinity, ...limits.map((limit) => limit.availableBytes)),
  };
}

/**
 * The limits that the runtime knows, for when it does not permit reading cgroups: Deno 2.9.6 reads
 * files below `/proc` and `/sys` with all permissions only. What other processes of the container use
 * is unknown, so this process counts alone.
 *
 * @param limitBytes The memory limit; 0 or a huge number if there is none.
 * @param residentBytes The memory in use by this process.
 */
export function runtimeLimits(limitBytes: number, residentBytes: number): ContainerLimits {
  const isLimited = limitBytes > 0 && limitBytes < MIN_NO_LIMIT_BYTES;
  return {
    // The runtime's count of cores respects the limit already.
    cores: Infinity,
    memoryBytes: isLimited ? limitBytes : Infinity,
    availableBytes: isLimited ? Math.max(0, limitBytes - residentBytes) : Infinity,
  };
}

/** Parses a line such as `4:memory:/docker/1f`, or `0::/user.slice` of version 2. */
function groupsOf(line: string) {
  const [, hierarchy, names = "", path = "/"] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? [];
  if (hierarchy === undefined) return [];
  if (names === "") {
    return ["sys/fs/cgroup", "sys/fs/cgroup/unified"].map((mount) => ({
      version: V2,
      directories: upwards(mount, path),
    }));
  }
  const controllers = names.split(",");
  return controllers.filter((name) => name === "cpu" || name === "memory").flatMap((name) =>
    [...new Set([`sys/fs/cgroup/${name}`, `sys/fs/cgroup/${names}`])].map((mount) => ({
      version: V1,
      directories: upwards(mount, path),
    }))
  );
}

/**
 * The directories of a group and the groups above it. A container often sees its own group as the
 * root; then only the last of these directories exists.
 */
function upwards(mount: string, path: string): string[] {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== "..");
  return [...segments.keys(), segments.length].reverse().map((count) =>
    [mount, ...segments.slice(0, count)].join("/")
  );
}

const UNLIMITED_MEMORY = { memoryBytes: Infinity, availableBytes: Infinity };

function memory(version: Version, read: (file: string) => string | undefined) {
  const { limit, usage, cached, mapped } = version.memory;
  const memoryBytes = quantity(read(limit)) ?? Infinity;
  if (memoryBytes === Infinity) return UNLIMITED_MEMORY;
  // The kernel reclaims cached files on demand, unless a program runs from them. If they counted as
  // used, a file server would soon have no memory left.
  const stat = read("memory.stat") ?? "";
  const bytes = (line: RegExp) => Number(line.exec(stat)?.[1] ?? 0);
  const reclaimable = cached.reduce((sum, line) => sum + bytes(line), -bytes(mapped));
  const used = (quantity(read(usage)) ?? 0) - Math.max(0, reclaimable);
  return { memoryBytes, availableBytes: Math.max(0, memoryBytes - Math.max(0, used)) };
}

function cores(version: Version, read: (file: string) => string | undefined): number {
  const [quota, period] = (version.cpu(read) ?? []).map(quantity);
  return quota === undefined || period === undefined || quota <= 0 || period <= 0
    ? Infinity
    : quota / period;
}

/** Parses a whole number; undefined for `max` and anything else. */
function quantity(text: string | undefined): number | undefined {
  return /^\d+$/.test(text?.trim() ?? "") ? Number(text) : undefined;
}
