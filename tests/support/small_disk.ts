/** Small file systems of their own, for tests that fill them. */

import { TempDir } from "./temp_dir.ts";
import { run } from "./tools.ts";
import { until } from "./until.ts";

export type FileSystem = "tmpfs" | ImageFileSystem;

/** File systems on an image of a disk. */
export type ImageFileSystem = "ext4" | "btrfs" | "xfs";

/** A mounted file system, unmounted when it is disposed of. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
}

/** Mounts a new file system. Returns undefined if this process may not, or a program is missing. */
export async function smallDisk(
  megabytes: number,
  kind: FileSystem = "tmpfs",
): Promise<SmallDisk | undefined> {
  if (kind === "tmpfs") {
    return await mounted("-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs");
  }
  await using parts = new AsyncDisposableStack();
  const image = `${parts.use(await TempDir.make()).path}/image`;
  await Deno.writeFile(image, new Uint8Array());
  await Deno.truncate(image, megabytes * 2 ** 20);
  if (!await makeFileSystem(image, kind)) return undefined;
  const disk = await mountImage(image);
  if (disk === undefined) return undefined;
  parts.use(disk);
  const owned = parts.move();
  return { path: disk.path, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Makes a file system on an image of a disk. Returns false if that is impossible here. */
export function makeFileSystem(image: string, kind: ImageFileSystem): Promise<boolean> {
  return succeeds(`mkfs.${kind}`, "-q", image);
}

/** Mounts an image of a disk. Returns undefined if this process may not. */
export function mountImage(image: string): Promise<SmallDisk | undefined> {
  return mounted("-o", "loop", image);
}

async function mounted(...args: string[]): Promise<SmallDisk | undefined> {
  await using parts = new AsyncDisposableStack();
  const { path } = parts.use(await TempDir.make());
  if (!await succeeds("mount", ...args, path)) return undefined;
  parts.defer(() => unmount(path));
  const owned = parts.move();
  return { path, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Unmounts a file system once the last process that uses it has ended. */
export async function unmount(path: string): Promise<void> {
  await until(() => succeeds("umount", path));
}

/** A file system that answers no write, until it is disposed of. */
export async function frozen({ path }: SmallDisk): Promise<AsyncDisposable | undefined> {
  if (!await succeeds("fsfreeze", "--freeze", path)) return undefined;
  return {
    async [Symbol.asyncDispose]() {
      await run("fsfreeze", ["--unfreeze", path]);
    },
  };
}

async function succeeds(program: string, ...args: string[]): Promise<boolean> {
  return await run(program, args).then(({ code }) => code === 0, () => false);
}

/** The size of a {@link smallDisk} of the given kind; smaller ones do not exist. */
export const SMALLEST_MB: Readonly<Record<FileSystem, number>> = {
  tmpfs: 24,
  ext4: 32,
  btrfs: 128,
  xfs: 300,
};

/** The kinds that can be mounted here. */
export async function mountable(): Promise<Set<FileSystem>> {
  const found = new Set<FileSystem>();
  for (const kind of ["tmpfs", "ext4", "btrfs", "xfs"] as const) {
    await using disk = await smallDisk(SMALLEST_MB[kind], kind);
    if (disk !== undefined) found.add(kind);
  }
  return found;
}

/** The most that `getRandomValues` returns. */
const MAX_FILL_BYTES = 65_536;

/** Takes all free space by a file of this name. */
export async function fillDisk({ path }: SmallDisk, name: string): Promise<void> {
  using file = await Deno.open(`${path}/${name}`, { append: true, create: true });
  for (let size = MAX_FILL_BYTES; size >= 1;) {
    try {
      if (await file.write(crypto.getRandomValues(new Uint8Array(size))) < 1) break;
      // Others may have freed some.
      size = Math.min(size * 2, MAX_FILL_BYTES);
    } catch {
      size = Math.floor(size / 16);
    }
  }
  // On some file systems only a sync finds out.
  await file.sync().catch(() => {});
}
