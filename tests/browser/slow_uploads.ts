/** Uploads that tests break off in the middle. */

import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { choose } from "./files_page.ts";

/** Large enough to be broken off in the middle. */
const SIZE = 40e6;
export const STOPPED = /^Stopped at [\d.]+ [KM]iB of 38\.1 MiB(?:\.|$)/;
export const MOVING = /^[2-9][\d.]* MiB of 38\.1 MiB$/;

/** Sets how many bytes leave a page in a second, undefined for as many as can. */
export async function uploadLimit(
  page: Page,
): Promise<(bytes: number | undefined) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  return async (bytes = -1) => {
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytes,
    });
  };
}

/** Drops files and folders of this computer on a page, as its desktop does. */
export async function drop(page: Page, paths: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", {
      type,
      x: 600,
      y: 400,
      data: { items: [], files: [...paths], dragOperationsMask: 1 },
    });
  }
}

/** A file whose content differs everywhere, of {@link SIZE} bytes. */
export async function makeFile(path: string): Promise<Buffer> {
  const content = Buffer.alloc(SIZE, path);
  await Deno.writeFile(path, content);
  return content;
}

/**
 * Begins to upload a file, slowly enough to break it off. Returns the id of the upload.
 *
 * @param limit {@link uploadLimit} of the page.
 */
export async function begin(
  page: Page,
  path: string,
  give = (page: Page, path: string) => choose(page, "Upload files", path),
  limit = uploadLimit(page),
): Promise<string> {
  await (await limit)(2e6);
  const created = page.waitForResponse((response) => response.request().method() === "POST");
  await give(page, path);
  await page.getByText(MOVING).waitFor();
  return (await created).headers().location?.replace(/\?.*/, "") ?? "";
}
