import { createHash } from "node:crypto";
import { dirname, extname, join, relative } from "node:path";
import { GIB } from "../../schemas/units.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { type Package, PACKAGES } from "./packages.ts";

/** Extensions of models, of the data that they come with, and of their compressed forms. */
const EXTENSIONS: ReadonlySet<string> = new Set(
  `bin binarypb bz2 dat gguf gz h5 hdf5 jit joblib json keras lz4 lzma mlmodel model msgpack nc npy npz
  onnx ort pb pickle pkl pt pth rda rdata rds safetensors tar tflite toml txt vocab xz yaml yml z zip`
    .split(/\s+/),
);

/** Files of one package with one extension, so that no package outweighs the others. */
const MAX_FILES_OF_A_KIND = 60;
/** Limit on the compressed size of all packages together. */
const MAX_DOWNLOADED_BYTES = 2 * GIB;

/**
 * Downloads each package, moves a sample of its files into `directory`, and deletes the rest before the
 * next one.
 *
 * @throws {Error} when a package cannot be downloaded, or when they are too large together.
 */
export async function collectFiles(directory: string): Promise<void> {
  const seen = new Set<string>();
  let downloaded = 0;
  for (const each of PACKAGES) {
    await using temporary = await TempDir.make();
    const archive = await download(each, temporary.path);
    downloaded += (await Deno.stat(archive)).size;
    if (downloaded > MAX_DOWNLOADED_BYTES) {
      throw new Error(`The packages up to ${each.name} exceed ${MAX_DOWNLOADED_BYTES} bytes`);
    }
    const unpacked = join(temporary.path, "unpacked");
    await Deno.mkdir(unpacked);
    await unpack(archive, unpacked);
    const target = join(directory, `${each.name}-${each.version}`);
    const count = await moveSample(unpacked, target, seen);
    console.log(`${each.index} ${each.name} ${each.version}: ${count} files`);
  }
}

/** Downloads a package with the client of its index, which runs no code of it, and returns its path. */
async function download({ index, name, version }: Package, directory: string): Promise<string> {
  if (index === "npm") {
    const specifier = `${name}@${version}`;
    await succeed("npm", ["pack", "--ignore-scripts", "--silent", specifier], directory);
  } else {
    const options = ["--no-deps", "--only-binary=:all:", "--quiet", "--disable-pip-version-check"];
    const requirement = `${name}==${version}`;
    await succeed("python3", ["-m", "pip", "download", ...options, requirement], directory);
  }
  for await (const { name: file, isFile } of Deno.readDir(directory)) {
    if (isFile) return join(directory, file);
  }
  throw new Error(`Nothing was downloaded for ${name} ${version}`);
}

async function unpack(archive: string, directory: string): Promise<void> {
  if (archive.endsWith(".whl")) {
    await succeed("python3", ["-m", "zipfile", "-e", archive, directory], directory);
  } else await succeed("tar", ["-xzf", archive], directory);
}

async function succeed(program: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await run(program, args, { cwd });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${stderr}`);
}

/** Moves files of each extension, evenly spread over their paths, unless another one equals them. */
async function moveSample(from: string, to: string, seen: Set<string>): Promise<number> {
  let count = 0;
  for (const paths of (await pathsByExtension(from)).values()) {
    const step = Math.max(1, paths.length / MAX_FILES_OF_A_KIND);
    for (let at = 0; at < paths.length; at += step) {
      const path = paths[Math.floor(at)] ?? "";
      const content = await Deno.readFile(path);
      const hash = createHash("sha256").update(content).digest("hex");
      if (content.length === 0 || seen.has(hash)) continue;
      seen.add(hash);
      const target = join(to, relative(from, path));
      await Deno.mkdir(dirname(target), { recursive: true });
      await Deno.writeFile(target, content);
      count++;
    }
  }
  return count;
}

async function pathsByExtension(directory: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for await (const path of filesBelow(directory)) {
    const extension = extname(path).slice(1).toLowerCase();
    if (!EXTENSIONS.has(extension) || path.includes(".dist-info/")) continue;
    found.set(extension, [...found.get(extension) ?? [], path]);
  }
  for (const paths of found.values()) paths.sort();
  return found;
}

async function* filesBelow(directory: string): AsyncGenerator<string, void, void> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(directory)) {
    const path = join(directory, name);
    if (isDirectory) yield* filesBelow(path);
    else if (isFile) yield path;
  }
}
