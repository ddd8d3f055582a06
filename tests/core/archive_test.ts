import * as assert from "node:assert/strict";
import { crc32, deflateRawSync } from "node:zlib";
import { type ArchiveEntry, type ArchiveSource, zipStream } from "../../core/archive.ts";
import { type Chunk, ContentReader } from "../../core/content.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, type Outcome, run } from "../support/tools.ts";

/** A file that goes into an archive. */
interface Given {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly deflate?: boolean;
}

interface Packed extends ArchiveEntry {
  readonly given: Given;
}

const MODIFIED = Date.UTC(2026, 10, 21, 2, 3, 5);

function reader(content: Chunk): ContentReader {
  const chunks = content.length === 0 ? [] : [content];
  return new ContentReader(() => Promise.resolve(chunks.shift()), () => {});
}

function source(files: readonly Given[]): ArchiveSource<Packed> {
  const sizes = new Map<string, number>();
  return {
    async *entries() {
      for (const given of files) {
        yield await Promise.resolve({
          given,
          name: given.name,
          size: given.content.length,
          crc32: crc32(given.content),
          modifiedAt: MODIFIED,
          packedSize: sizes.get(given.name) ?? null,
        });
      }
    },
    openContent: ({ given }) => Promise.resolve(reader(given.content)),
    openDeflated: ({ given }) =>
      Promise.resolve(
        given.deflate ? reader(new Uint8Array(deflateRawSync(given.content))) : undefined,
      ),
    setPackedSize: ({ name }, bytes) => Promise.resolve(void sizes.set(name, bytes)),
  };
}

async function writeArchive(path: string, files: readonly Given[]): Promise<void> {
  await Deno.writeFile(path, ReadableStream.from(zipStream(source(files))));
}

const text = (value: string) => new TextEncoder().encode(value);

const MIXED: readonly Given[] = [
  { name: "deflated.txt", content: text("many words, many words\n".repeat(5000)), deflate: true },
  { name: "dir/empty", content: text("") },
  { name: "dir/sub/stored.bin", content: crypto.getRandomValues(new Uint8Array(50_000)) },
  { name: "dir/日本 ünï 😀.txt", content: text("unicode"), deflate: true },
  { name: "dir/-rf $(x) `y` 'z'", content: text("odd name") },
];

/** System programs that read archives: how they test one, how they list it and how they unpack it. */
const EXTRACTORS: readonly {
  program: string;
  version: string[];
  test: (zip: string) => string[];
  /** Its working directory is `to`. */
  unpack: (zip: string, to: string) => string[];
}[] = [
  {
    program: "unzip",
    version: ["-v"],
    test: (zip) => ["-tq", zip],
    unpack: (zip, to) => ["-q", zip, "-d", to],
  },
  {
    program: "7z",
    version: ["i"],
    test: (zip) => ["t", zip],
    unpack: (zip, to) => ["x", "-bd", `-o${to}`, zip],
  },
  {
    program: "bsdtar",
    version: ["--version"],
    test: (zip) => ["-tf", zip],
    unpack: (zip, to) => ["-xf", zip, "-C", to],
  },
  {
    program: "python3",
    version: ["--version"],
    test: (zip) => ["-m", "zipfile", "-t", zip],
    unpack: (zip, to) => ["-m", "zipfile", "-e", zip, to],
  },
  {
    program: "jar",
    version: ["--version"],
    test: (zip) => ["tf", zip],
    unpack: (zip) => ["xf", zip],
  },
];

function succeeded({ code, stdout, stderr }: Outcome): void {
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  assert.doesNotMatch(`${stdout}${stderr}`, /warning|(?<!no )error|overlap|bomb|damaged/i);
}

for (const { program, version, test, unpack } of EXTRACTORS) {
  const there = await hasProgram(program, ...version);
  Deno.test({
    name: `C 9 ${program} unpacks what archive() writes`,
    ignore: !there,
    async fn(t) {
      await using directory = await TempDir.make();
      const zip = `${directory.path}/a.zip`;
      await t.step("C 9 stored and deflated files with names of all kinds", async () => {
        await writeArchive(zip, MIXED);
        succeeded(await run(program, test(zip)));
        const to = `${directory.path}/out`;
        await Deno.mkdir(to);
        const env = { LC_ALL: "C.UTF-8" };
        succeeded(await run(program, unpack(zip, to), { cwd: to, env }));
        for (const { name, content } of MIXED) {
          assert.deepEqual(await Deno.readFile(`${to}/${name}`), content, name);
        }
        const { mtime } = await Deno.stat(`${to}/deflated.txt`);
        assert.ok(mtime);
        if (program === "unzip" || program === "bsdtar") assert.equal(mtime.getTime(), MODIFIED);
      });
      await t.step("C 9 an archive of nothing", async () => {
        await writeArchive(zip, []);
        const { code, stderr } = await run(program, test(zip));
        // unzip says 1: it is a ZIP, and has nothing in it.
        assert.ok(code === 0 || (program === "unzip" && code === 1), stderr);
      });
      await t.step("C 9 more files than ZIP counts without ZIP64", async () => {
        const files = Array.from({ length: 66_000 }, (_, index) => ({
          name: `many/${index}`,
          content: text(String(index)),
        }));
        await writeArchive(zip, files);
        succeeded(await run(program, test(zip)));
      });
    },
  });
}

Deno.test("archive() fails where content is not as long as its entry says", async () => {
  const files = source([{ name: "a", content: text("short") }]);
  const wrong: ArchiveSource<Packed> = {
    ...files,
    async *entries() {
      for await (const entry of files.entries()) yield { ...entry, size: 6 };
    },
  };
  await assert.rejects(Array.fromAsync(zipStream(wrong)), /5 bytes, not 6/);
});

Deno.test("archive() ends the content under way when it is returned", async () => {
  let closed = 0;
  const endless = () =>
    Promise.resolve(
      new ContentReader(() => Promise.resolve(new Uint8Array(100_000)), () => void closed++),
    );
  const files = source([{ name: "a", content: text("x") }]);
  for (const deflate of [false, true]) {
    // Only the header of the file has been taken after the first.
    for (const taken of [1, 2]) {
      const bytes = zipStream({
        ...files,
        openContent: endless,
        openDeflated: () => deflate ? endless() : Promise.resolve(undefined),
      });
      for (let chunk = 0; chunk < taken; chunk++) await bytes.next();
      await bytes.return(undefined);
    }
  }
  assert.equal(closed, 4);
});

Deno.test("archive() joins small pieces and passes large ones on as they are", async () => {
  const small = Array.from(
    { length: 1000 },
    (_, index) => ({ name: `${index}`, content: text("x") }),
  );
  const pieces = await Array.fromAsync(zipStream(source(small)));
  assert.ok(pieces.length < 5, String(pieces.length));
  const large = new Uint8Array(100_000);
  const [, second] = await Array.fromAsync(zipStream(source([{ name: "l", content: large }])));
  assert.equal(second, large);
});
