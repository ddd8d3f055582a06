import * as assert from "node:assert/strict";
import { crc32, deflateRawSync } from "node:zlib";
import { type ArchiveEntry, type ArchiveSource, zipStream } from "../../core/archive.ts";
import { type Chunk, ContentReader } from "../../core/content.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, type ProgramOutput, run } from "../support/tools.ts";

/** A file to archive. */
interface TestFile {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly deflate?: boolean;
}

interface TestEntry extends ArchiveEntry {
  readonly file: TestFile;
}

const MODIFIED = Date.UTC(2026, 10, 21, 2, 3, 5);

function reader(content: Chunk): ContentReader {
  const chunks = content.length === 0 ? [] : [content];
  return new ContentReader(() => Promise.resolve(chunks.shift()), () => {});
}

function source(files: readonly TestFile[]): ArchiveSource<TestEntry> {
  const sizes = new Map<string, number>();
  const entries = async function* () {
    for (const file of files) {
      yield await Promise.resolve({
        file,
        name: file.name,
        size: file.content.length,
        crc32: crc32(file.content),
        modifiedAt: MODIFIED,
        packedSize: sizes.get(file.name) ?? null,
      });
    }
  };
  return {
    async *members() {
      for await (const entry of entries()) {
        const { content, deflate = false } = entry.file;
        const packed = deflate ? new Uint8Array(deflateRawSync(content)) : content;
        yield { entry, deflated: deflate, content: reader(packed) };
      }
    },
    entries,
    setPackedSize: ({ name }, bytes) => Promise.resolve(void sizes.set(name, bytes)),
  };
}

async function writeArchive(path: string, files: readonly TestFile[]): Promise<void> {
  await Deno.writeFile(path, ReadableStream.from(zipStream(source(files))));
}

const text = (value: string) => new TextEncoder().encode(value);

const MIXED: readonly TestFile[] = [
  { name: "deflated.txt", content: text("many words, many words\n".repeat(5000)), deflate: true },
  { name: "dir/empty", content: text("") },
  { name: "dir/sub/stored.bin", content: crypto.getRandomValues(new Uint8Array(50_000)) },
  { name: "dir/日本 ünï 😀.txt", content: text("unicode"), deflate: true },
  { name: "dir/-rf $(x) `y` 'z'", content: text("odd name") },
];

/** Programs that read ZIP archives, with their arguments to test and to unpack one. */
const EXTRACTORS: readonly {
  program: string;
  version: string[];
  test: (zip: string) => string[];
  /** Runs with `to` as the working directory. */
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

function succeeded({ code, stdout, stderr }: ProgramOutput): void {
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  assert.doesNotMatch(`${stdout}${stderr}`, /warning|(?<!no )error|overlap|bomb|damaged/i);
}

for (const { program, version, test, unpack } of EXTRACTORS) {
  const available = await hasProgram(program, ...version);
  Deno.test({
    name: `C 9 ${program} unpacks what zipStream() writes`,
    ignore: !available,
    async fn(t) {
      await using directory = await TempDir.make();
      const zip = `${directory.path}/a.zip`;
      await t.step("C 9 stored and deflated files with unusual names", async () => {
        await writeArchive(zip, MIXED);
        const env = { LC_ALL: "C.UTF-8" };
        succeeded(await run(program, test(zip), { env }));
        const to = `${directory.path}/out`;
        await Deno.mkdir(to);
        succeeded(await run(program, unpack(zip, to), { cwd: to, env }));
        for (const { name, content } of MIXED) {
          assert.deepEqual(await Deno.readFile(`${to}/${name}`), content, name);
        }
        const { mtime } = await Deno.stat(`${to}/deflated.txt`);
        assert.ok(mtime);
        if (program === "unzip" || program === "bsdtar") assert.equal(mtime.getTime(), MODIFIED);
      });
      await t.step("C 9 an empty archive", async () => {
        await writeArchive(zip, []);
        const { code, stderr } = await run(program, test(zip));
        // unzip exits with 1 for an empty archive.
        assert.ok(code === 0 || (program === "unzip" && code === 1), stderr);
      });
    },
  });
}

Deno.test("C 9 extractors unpack more files than fit without ZIP64", async (t) => {
  await using directory = await TempDir.make();
  const zip = `${directory.path}/a.zip`;
  const files = Array.from({ length: 66_000 }, (_, index) => ({
    name: `many/${index}`,
    content: text(String(index)),
  }));
  await writeArchive(zip, files);
  for (const { program, version, test } of EXTRACTORS) {
    const ignore = !await hasProgram(program, ...version);
    const fn = async () => succeeded(await run(program, test(zip)));
    await t.step({ name: `C 9 ${program}`, ignore, fn });
  }
});

Deno.test("zipStream() throws when content does not have the size of its entry", async () => {
  const files = source([{ name: "a", content: text("short") }]);
  const wrong: ArchiveSource<TestEntry> = {
    ...files,
    async *members() {
      for await (const { entry, ...member } of files.members()) {
        yield { entry: { ...entry, size: 6 }, ...member };
      }
    },
  };
  await assert.rejects(Array.fromAsync(zipStream(wrong)), /5 bytes, not 6/);
});

Deno.test("zipStream() closes the open content when it is returned", async () => {
  let closed = 0;
  const endless = () =>
    new ContentReader(() => Promise.resolve(new Uint8Array(100_000)), () => void closed++);
  const files = source([{ name: "a", content: text("x") }]);
  for (const deflate of [false, true]) {
    // The first chunk is only the header of the file.
    for (const taken of [1, 2]) {
      const bytes = zipStream({
        ...files,
        async *members() {
          for await (const { entry } of files.members()) {
            yield { entry, deflated: deflate, content: endless() };
          }
        },
      });
      for (let chunk = 0; chunk < taken; chunk++) await bytes.next();
      await bytes.return(undefined);
    }
  }
  assert.equal(closed, 4);
});

Deno.test("zipStream() joins small chunks and passes large ones through", async () => {
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
