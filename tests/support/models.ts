import { ROOT } from "./child_server.ts";

/** Reads a fixture, such as `pickle/hostile/eval.pkl`. */
export async function modelFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return await Deno.readFile(`${ROOT}tests/fixtures/models/${path}`);
}
