/**
 * The engines that test servers use (C 23): those that STRONGROOM_TEST_ENGINES names, otherwise the embedded
 * ones. `deno task ok:engines` sets it.
 */

import { createHash } from "node:crypto";
import type { ContentSettings } from "../../storage/storage.ts";
import { S3Engine } from "./s3.ts";

const NAMES = (Deno.env.get("STRONGROOM_TEST_ENGINES") ?? "").split(",").filter((it) => it !== "");
const unknown = NAMES.find((name) => name !== "s3");
if (unknown !== undefined) throw new Error(`Unknown engine ${unknown}: expected s3`);

const STORE = NAMES.includes("s3") && S3Engine.isInstalled ? await S3Engine.start() : undefined;
if (STORE !== undefined) globalThis.addEventListener("unload", () => STORE.endSync());

/** Whether test servers keep content in files: tests look at those. */
export const IN_FILES = STORE === undefined;

/** The object store for the content of a data directory, if test servers use one. */
export function contentOf(dataDir: string): ContentSettings | undefined {
  const room = createHash("md5").update(dataDir).digest("hex");
  return STORE?.content(STORE.contentUrl(room));
}

/** The file in which the object store of test servers keeps an object. */
export function objectFile(key: string): string {
  if (STORE === undefined) throw new Error("Test servers use no object store");
  return `${STORE.objects}/${key}`;
}

/** The names of all objects of a data directory. */
export async function objectsOf(dataDir: string): Promise<string[]> {
  const content = contentOf(dataDir);
  return content === undefined ? [] : await STORE?.keys(content) ?? [];
}
