import { hasProgram } from "../support/tools.ts";
import {
  type Case,
  type CaseContext,
  type Comparison,
  MB,
  processSeconds,
  randomFile,
  type Result,
  ROUNDS,
  scaled,
} from "./measures.ts";
import { buildCommand } from "./verb_cases.ts";

const ARRAYS = 50;
const ARRAY_BYTES = scaled(4 * MB);
const SMALL_BYTES = 1000;

/** How other scanners are called, as far as they are installed. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  picklescan: ["--path"],
  modelaudit: ["scan"],
};

/** Scans by the package, beside those by other scanners. */
export const SCANNER_CASES: readonly Case[] = [
  {
    name: "scan of 200 MB of pickled arrays, and by picklescan",
    measure: (context) => scans(context, ["picklescan"], ARRAYS, ARRAY_BYTES),
  },
  {
    name: "scan of a small pickle, and by picklescan and modelaudit",
    measure: (context) => scans(context, Object.keys(OTHERS), 1, SMALL_BYTES),
  },
];

/** Scans a pickle with each scanner in turn. */
async function scans(
  { directory }: CaseContext,
  others: readonly string[],
  arrays: number,
  arrayBytes: number,
): Promise<Result> {
  const path = `${directory}/arrays.pkl`;
  await pickledArrays(path, arrays, arrayBytes);
  const programs: Record<string, readonly string[]> = {
    "strongroom scan": [await buildCommand(directory), "scan"],
  };
  const missing: string[] = [];
  for (const name of others) {
    if (await hasProgram(name, "--help")) programs[name] = [name, ...OTHERS[name] ?? []];
    else missing.push(`${name} is not installed`);
  }
  const wall: Record<string, number[]> = {};
  const cpu: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, [program = "", ...args]] of Object.entries(programs)) {
      const taken = await processSeconds(program, [...args, path]);
      // The first round warms up caches and memory.
      if (round === 0) continue;
      (wall[name] ??= []).push(taken.wall);
      (cpu[name] ??= []).push(taken.cpu);
    }
  }
  const comparison = (title: string, values: Comparison["values"]): Comparison => ({
    title: `${title} of a scan of ${Math.ceil(arrays * arrayBytes / 1000)} kB of pickled arrays`,
    unit: "s",
    values,
  });
  return {
    comparisons: [comparison("CPU time", cpu), comparison("time", wall)],
    notes: missing,
  };
}

/** Writes a pickle, protocol 4, of a list of NumPy arrays of random bytes. */
async function pickledArrays(path: string, arrays: number, bytes: number): Promise<void> {
  await randomFile(`${path}.data`, bytes);
  const data = await Deno.readFile(`${path}.data`);
  const length = new Uint8Array(new Uint32Array([bytes]).buffer);
  const rest = `cnumpy\ndtype\n(Vu1\nI00\nI01\ntR(I${bytes}\ntVC\ntR`;
  const text = (it: string) => new TextEncoder().encode(it);
  using file = await Deno.open(path, { write: true, create: true });
  const write = async (...pieces: Uint8Array[]) => {
    for (const piece of pieces) {
      for (let rest = piece; rest.length > 0;) rest = rest.subarray(await file.write(rest));
    }
  };
  await write(Uint8Array.of(0x80, 4), text("("));
  for (let index = 0; index < arrays; index++) {
    await write(text("cnumpy._core.numeric\n_frombuffer\n(B"), length, data, text(rest));
  }
  await write(text("l."));
}
