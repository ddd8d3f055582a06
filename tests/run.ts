/**
 * Runs the tests: those of `deno task test` or, with `--all`, those of `deno task test:all`. Other arguments are
 * those of `deno test`.
 *
 * The runtime gives each file of tests a thread, which loads and compiles the modules of the program anew: half a
 * second, as long as the tests of most files take. So this has a few files import all files of tests, unless some
 * are named. And it builds the package first, as programs and threads start from that in less time.
 */

import { pathToFileURL } from "node:url";
import config from "../deno.json" with { type: "json" };
import { WORKERS } from "../storage/threads/workers.ts";
import { BUILT_PACKAGE, KEPT_THREAD, ROOT } from "./support/program.ts";
import { TempDir } from "./support/temp_dir.ts";

/** What takes more than npm brings, such as clients in other languages, or long. */
const OTHERS = [
  "tests/browser",
  "tests/clients",
  "tests/description",
  "tests/docs/hub_test.ts",
  "tests/docs/mounting_test.ts",
  "tests/docs/readme_commands_test.ts",
  "tests/docs/s3_test.ts",
  "tests/engines",
  "tests/faults",
  "tests/load",
  "tests/packaging",
  "tests/regexes_test.ts",
  "tests/storage/postgres",
  "tests/storage/content/objects",
  "tests/system",
];
/** They wait for most of their time, and start first, so that others run beside them. */
const LONGEST = [
  "tests/cli/supervisor/supervise_test.ts",
  "tests/cli/supervisor/launch_test.ts",
  "tests/cli/main_test.ts",
];
/**
 * Groups of tests, and as many of half their size, which run last so that all end at about the same time. Each takes
 * three seconds of CPU: it loads and compiles the program, and starts threads that servers share.
 */
const GROUPS = 5;
/** How many groups run beside each other: they wait for programs, disks and time limits. */
const GROUPS_OF_CORE = 3;
/** Each has a browser, so these are few. */
const BROWSER_GROUPS = 4;

const CONFIG = `${ROOT}deno.json`;
const KEPT_THREAD_SOURCE = "tests/support/threads/kept_thread.ts";

/**
 * Threads of tests use memory anew all the time: V8 begins with a young generation that is large enough, and the
 * allocator of glibc gives back none that the system would clear for the next use, even of the largest buffers that
 * it can keep.
 */
const V8_FLAGS = "--v8-flags=--min-semi-space-size=16";
const MALLOC = {
  MALLOC_TRIM_THRESHOLD_: String(2 ** 29),
  MALLOC_MMAP_THRESHOLD_: String(2 ** 25),
};

const isAll = Deno.args.includes("--all");
const options = Deno.args.filter((it) => it !== "--all");
const ignored = isAll ? [] : OTHERS;
Deno.exit(options.includes("--watch") || options.some(isPath) ? await runNamed() : await runAll());

/** Runs the files that the arguments name, as they are. */
async function runNamed(): Promise<number> {
  return await test([`--config=${CONFIG}`, `--ignore=${["dist", ...ignored].join()}`, ...options]);
}

async function runAll(): Promise<number> {
  await using directory = await TempDir.make();
  await build();
  const files = await Array.fromAsync(testFiles("tests"));
  const long = LONGEST.filter((it) => files.includes(it));
  const others = files.filter((it) => !long.includes(it)).sort();
  const inBrowsers = others.filter((it) => it.startsWith("tests/browser/"));
  const groups = [
    ...long.map((it) => [it]),
    ...dealt(inBrowsers, inBrowsers.length === 0 ? [] : range(0, BROWSER_GROUPS)),
    ...dealt(others.filter((it) => !inBrowsers.includes(it)), [
      ...range(0, GROUPS),
      ...range(0, 2 * GROUPS),
    ]),
  ];
  for (const [index, group] of groups.entries()) {
    const imports = group.map((it) => `import ${JSON.stringify(pathToFileURL(ROOT + it).href)};\n`);
    const name = `group_${String(index + 1).padStart(2, "0")}_test.ts`;
    await Deno.writeTextFile(`${directory.path}/${name}`, imports.join(""));
  }
  const built = await writeConfig(directory.path);
  // Outside of tests are examples in comments, which the runtime finds.
  const ignore = `--ignore=${["tests", ...config.exclude].join()}`;
  return await test([`--config=${built}`, ignore, ...options, ROOT, directory.path], {
    TEST_PACKAGE: BUILT_PACKAGE,
  });
}

/**
 * Deals files out to groups in turn: neighbors, which take as long as one another, are in different ones.
 *
 * @param turns The groups of a round. One that is named twice gets twice as many files.
 */
function dealt(files: readonly string[], turns: readonly number[]): string[][] {
  return [...new Set(turns)].map((group) =>
    files.filter((_, index) => turns[index % turns.length] === group)
  );
}

/** The numbers from one up to another, which is not among them. */
function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

/** Writes the configuration by which servers keep threads, and others run modules of the package. */
async function writeConfig(directory: string): Promise<string> {
  const urlOf = (path: string) => pathToFileURL(ROOT + path).href;
  const rpc = urlOf("storage/threads/rpc.ts");
  const path = `${directory}/deno.json`;
  const text = JSON.stringify({
    ...config,
    // The runtime adds this package to the copy.
    lock: { ...config.lock, frozen: false },
    scopes: {
      [urlOf("storage/")]: {
        [urlOf("storage/threads/workers.ts")]: urlOf("tests/support/built_workers.ts"),
        [rpc]: urlOf("tests/support/threads/kept_threads.ts"),
      },
      // What a thread runs starts none.
      ...Object.fromEntries(Object.values(WORKERS).map(({ href }) => [href, { [rpc]: rpc }])),
    },
  });
  await Deno.writeTextFile(path, text);
  await Deno.copyFile(`${ROOT}deno.lock`, `${directory}/deno.lock`);
  return path;
}

async function test(args: readonly string[], env: Record<string, string> = {}): Promise<number> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    cwd: ROOT,
    args: ["test", "-A", "--no-check", "--doc", "--parallel", V8_FLAGS, ...args],
    env: { DENO_JOBS: String(GROUPS_OF_CORE * navigator.hardwareConcurrency), ...MALLOC, ...env },
  }).spawn().status;
  return code;
}

/** Builds the package, with the runtime where npm would install it. */
async function build(): Promise<void> {
  const output = `--output=${BUILT_PACKAGE}`;
  const run = ["run", "-A", "--no-check"];
  for (
    const args of [
      [...run, "packaging/scanner/build.ts"],
      [...run, "packaging/npm/build.ts", output],
      ["bundle", "--quiet", "--platform=deno", "-o", KEPT_THREAD, KEPT_THREAD_SOURCE],
    ]
  ) {
    const { code } = await new Deno.Command(Deno.execPath(), { cwd: ROOT, args }).spawn().status;
    if (code !== 0) Deno.exit(code);
  }
  await Deno.mkdir(`${BUILT_PACKAGE}/node_modules/deno`, { recursive: true });
  await Deno.symlink(Deno.execPath(), `${BUILT_PACKAGE}/node_modules/deno/deno`);
}

async function* testFiles(directory: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(ROOT + directory)) {
    const path = `${directory}/${name}`;
    if (ignored.includes(path)) continue;
    if (isDirectory) yield* testFiles(path);
    else if (name.endsWith("_test.ts")) yield path;
  }
}

function isPath(argument: string): boolean {
  if (argument.startsWith("-")) return false;
  try {
    Deno.statSync(ROOT + argument);
    return true;
  } catch {
    return false;
  }
}
