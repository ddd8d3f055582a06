import * as assert from "node:assert/strict";

/** Runs code in a worker after `freezeIntrinsics`, and returns what it posts. */
async function frozen(code: string): Promise<unknown> {
  const module = import.meta.resolve("../../../../storage/scanners/sandbox/freeze_intrinsics.ts");
  const source = `
    import { deflateRawSync, inflateRawSync } from "node:zlib";
    import { freezeIntrinsics } from "${module}";
    const packed = deflateRawSync(new Uint8Array(100000));
    freezeIntrinsics();
    const attempt = (work) => {
      try {
        return work();
      } catch (error) {
        return error.code ?? error.name;
      }
    };
    postMessage(attempt(() => { ${code} }));`;
  const url = `data:application/javascript,${encodeURIComponent(source)}`;
  const worker = new Worker(url, { type: "module" });
  try {
    return await new Promise((resolve, reject) => {
      worker.addEventListener("message", ({ data }) => resolve(data));
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      });
    });
  } finally {
    worker.terminate();
  }
}

Deno.test("C 15 built-in objects cannot be changed once they are frozen", async () => {
  assert.equal(await frozen("Array.prototype.push = () => {}"), "TypeError");
  assert.equal(await frozen("Error.prototype.extra = 1"), "TypeError");
  assert.equal(
    await frozen("Object.defineProperty(Error.prototype, 'name', { value: 1 })"),
    "TypeError",
  );
});

Deno.test("C 16 a limit that the runtime reports keeps its code after that", async () => {
  const code = await frozen("return inflateRawSync(packed, { maxOutputLength: 1000 });");
  assert.equal(code, "ERR_BUFFER_TOO_LARGE");
});
