import { parentOf } from "../paths.ts";
import { tensorFormatOf } from "../scanner/mod.ts";
import type { FilePair } from "./file_pairs.ts";

/** The weights of a model on both sides: files that are different. */
export interface WeightsPair {
  readonly format: string;
  readonly files: readonly FilePair[];
}

/** What weights in several files add to the name of the model. */
const SHARD = /-\d{5}-of-\d{5}(\.[a-z0-9]+)$/i;

/**
 * The weights that are compared tensor by tensor: files whose names differ in `-00001-of-00002` alone are one model.
 * Models of different names are compared if there is one on each side in the same directory and format.
 */
export function pairWeights(pairs: readonly FilePair[]): readonly WeightsPair[] {
  const models = new Map<string, FilePair[]>();
  for (const pair of pairs) {
    // What has only moved has no tensor that is different.
    if (!hasTensors(pair) || isMoved(pair)) continue;
    const key = pair.path.replace(SHARD, "$1");
    const model = models.get(key);
    if (model === undefined) models.set(key, [pair]);
    else model.push(pair);
  }
  const found: WeightsPair[] = [];
  const alone = new Map<string, FilePair[][]>();
  for (const [key, files] of models) {
    const format = formatOf(files);
    if (isOnBothSides(files)) found.push({ format, files });
    else {
      const place = `${parentOf(key)}/.${format}`;
      const others = alone.get(place);
      if (others === undefined) alone.set(place, [files]);
      else others.push(files);
    }
  }
  for (const others of alone.values()) {
    const files = others.flat();
    if (others.length === 2 && isOnBothSides(files)) {
      found.push({ format: formatOf(files), files });
    }
  }
  return found;
}

/** Whether the tensors of a file can be listed, on each side that has it. */
function hasTensors({ from, to }: FilePair): boolean {
  const formats = [from, to].flatMap((it) => it === undefined ? [] : [tensorFormatOf(it.name)]);
  return formats[0] !== undefined && formats.every((it) => it === formats[0]);
}

function isMoved({ from, to }: FilePair): boolean {
  return from !== undefined && from.hash === to?.hash;
}

function formatOf([first]: readonly FilePair[]): string {
  return tensorFormatOf(first?.path ?? "") ?? "unknown";
}

function isOnBothSides(files: readonly FilePair[]): boolean {
  return files.some(({ from }) => from !== undefined) && files.some(({ to }) => to !== undefined);
}
