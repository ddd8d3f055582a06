import type { FileDifference } from "../../schemas/compare.ts";
import { MIB } from "../../schemas/units.ts";
import type { Caller } from "../caller.ts";
import { type Chunk, joinChunks } from "../content.ts";
import { AppError } from "../errors.ts";
import { exceededBound } from "../json_bounds.ts";
import type { ResourceRecord } from "../ports.ts";
import { downloadFile } from "../tree/download.ts";
import { compareKeys } from "./compare_keys.ts";
import type { FilePair } from "./file_pairs.ts";
import { compareTexts } from "./hunks.ts";
import type { KnownFiles, Sides } from "./known_files.ts";
import type { Side } from "./sides.ts";

/** The largest file that is compared by its keys or lines. */
const MAX_BYTES = MIB;
/** The most bytes that are read for one comparison. */
const MAX_READ_BYTES = 32 * MIB;
/** The most different keys and lines of a file that are reported, and of all files together. */
const MAX_OF_FILE = 2000;
const MAX_REPORTED = 10_000;
const JSON_BOUNDS = { maxDepth: 100, maxValues: 200_000, maxObjects: 50_000 };

/** Compares configurations by their keys, and texts by their lines, within the bounds of one request. */
export class TextComparisons {
  /** Whether no bound of the request has kept a file from being compared. */
  isComplete = true;
  readonly #caller: Caller;
  readonly #sides: Sides;
  readonly #known: KnownFiles;
  #readBytes = 0;
  #reported = 0;

  constructor(caller: Caller, sides: Sides, known: KnownFiles) {
    this.#caller = caller;
    this.#sides = sides;
    this.#known = known;
  }

  async difference(pair: FilePair): Promise<FileDifference> {
    const found = this.#known.difference(pair);
    const { from, to } = pair;
    if (found.action !== "changed" || from === undefined || to === undefined) return found;
    const reason = this.#refusal(pair, from.size + to.size);
    if (reason !== null) return { ...found, reason };
    const before = await this.#read(this.#sides.from, from);
    const after = await this.#read(this.#sides.to, to);
    if (before === undefined || after === undefined) {
      return { ...found, reason: "It was changed while it was compared" };
    }
    return { ...found, ...(await this.#compare(pair, before, after)) };
  }

  /** Why files are not read. */
  #refusal(pair: FilePair, bytes: number): string | null {
    const refusal = this.#known.refusalOf(pair);
    if (refusal !== null) return refusal;
    if (Math.max(pair.from?.size ?? 0, pair.to?.size ?? 0) > MAX_BYTES) {
      return `It is larger than ${MAX_BYTES} bytes`;
    }
    if (this.#readBytes + bytes <= MAX_READ_BYTES && this.#reported < MAX_REPORTED) {
      this.#readBytes += bytes;
      return null;
    }
    this.isComplete = false;
    return "Too much is different to compare all of it";
  }

  async #compare(
    { path }: FilePair,
    before: Chunk,
    after: Chunk,
  ): Promise<Partial<FileDifference>> {
    const max = Math.min(MAX_OF_FILE, MAX_REPORTED - this.#reported);
    if (/\.json$/i.test(path)) {
      const [from, to] = [parsed(before), parsed(after)];
      if (from !== undefined && to !== undefined) {
        const { keys, leftOut } = await compareKeys(from.value, to.value, max);
        this.#reported += keys.length;
        // Files may differ in their spaces, or the digits of numbers, alone.
        if (keys.length > 0) return { compared: "keys", keys: [...keys], left_out: leftOut };
      }
    }
    const [from, to] = [textOf(before), textOf(after)];
    if (from === undefined || to === undefined) return {};
    const { hunks, leftOut } = await compareTexts(from, to, max);
    this.#reported += hunks.reduce((sum, { lines }) => sum + lines.length, 0);
    return { compared: "lines", hunks: [...hunks], left_out: leftOut };
  }

  /** The content of a file, as the gate lets it through. Undefined if its record has another one by now. */
  async #read({ tree }: Side, { path, hash, size }: ResourceRecord): Promise<Chunk | undefined> {
    try {
      const { record, content } = await downloadFile(tree, {
        caller: this.#caller,
        path,
        select: (found) => found.hash === hash ? { range: { start: 0, end: size } } : {},
      });
      if (record.hash !== hash) return undefined;
      return joinChunks(content === undefined ? [] : await Array.fromAsync(content));
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }
}

/** A document, if it is JSON that does not take too long. */
function parsed(bytes: Chunk): { readonly value: unknown } | undefined {
  const text = exceededBound(bytes, JSON_BOUNDS) === undefined ? textOf(bytes) : undefined;
  if (text === undefined) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A text, if content is one. */
function textOf(bytes: Chunk): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
