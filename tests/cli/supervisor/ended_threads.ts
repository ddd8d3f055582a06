/** Prints how much memory threads with many objects took, and how much is left of it when they have ended. */

const THREADS = 4;
/** By then, V8 has freed what it frees at the end of a thread. */
const END_MS = 1000;

const thread = "data:text/javascript," + encodeURIComponent(`
  const objects = Array.from({ length: 200_000 }, (_, index) => ({ index }));
  postMessage(objects.length);
`);

const before = ownMemory();
const workers = Array.from({ length: THREADS }, () => new Worker(thread, { type: "module" }));
await Promise.all(
  workers.map((worker) => new Promise((resolve) => worker.onmessage = resolve)),
);
const taken = ownMemory() - before;
for (const worker of workers) worker.terminate();
await new Promise((resolve) => setTimeout(resolve, END_MS));
console.log(JSON.stringify({ taken, left: ownMemory() - before }));

/** The resident memory of this process that no file has, in KiB. */
function ownMemory(): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]);
}
