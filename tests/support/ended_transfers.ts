import * as assert from "node:assert/strict";

/**
 * Reads a chunk of content that has so many bytes, runs `work`, which ends the transfer, and then reads on: the content
 * breaks off.
 */
export async function breaksOff(
  response: Response,
  bytes: number,
  work: () => Promise<unknown>,
): Promise<void> {
  assert.equal(response.status, 200);
  const reader = response.body?.getReader();
  assert.ok(reader);
  let read = (await reader.read()).value?.length ?? 0;
  await work();
  await assert.rejects(async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      read += value.length;
      // A client as slow as this cannot have all of it yet.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
  assert.ok(read < bytes);
}
