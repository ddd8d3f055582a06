import { builtin } from "./substitutes/builtin.ts";
import type { Report, ScanLimits } from "./types.d.ts";

/** The message that starts a scan. */
export interface ScanRequest {
  readonly name: string;
  /** A path, or the content. */
  readonly content: string | Blob | ArrayBuffer;
  readonly limits: Partial<ScanLimits>;
  /** Nonzero ends the scan: not all runtimes end a thread that is busy. */
  readonly stop?: Int32Array;
}

/** The message that ends a scan: the report, or the reason why it failed. */
export type ScanReply = { readonly report: Report } | { readonly problem: string };

/** A thread that scans files, one after the other. */
export interface Thread {
  scan(request: Omit<ScanRequest, "stop">): Promise<ScanReply>;
  end(): void;
}

export function startThread(): Thread {
  const threads = builtin("node:worker_threads");
  return threads === undefined ? webThread() : nodeThread(threads);
}

/** The module that scans, beside this one in the package. */
const MODULE = new URL("./scanning.js", import.meta.url);

/** A thread of Node.js, Deno or Bun. It keeps the program from ending only while it scans. */
function nodeThread({ Worker }: typeof import("node:worker_threads")): Thread {
  const worker = new Worker(MODULE);
  const stop = new Int32Array(new SharedArrayBuffer(4));
  return {
    async scan(request) {
      const { promise, resolve, reject } = Promise.withResolvers<ScanReply>();
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.ref();
      const { content } = request;
      worker.postMessage({ ...request, stop }, content instanceof ArrayBuffer ? [content] : []);
      try {
        return await promise;
      } finally {
        worker.off("error", reject);
        worker.unref();
      }
    },
    end() {
      Atomics.store(stop, 0, 1);
      void worker.terminate();
    },
  };
}

function webThread(): Thread {
  const worker = new Worker(trusted(MODULE), { type: "module" });
  return {
    scan(request) {
      const { promise, resolve, reject } = Promise.withResolvers<ScanReply>();
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) =>
        reject(new Error(message || "The scanner cannot be loaded"));
      worker.postMessage(request);
      return promise;
    },
    end: () => worker.terminate(),
  };
}

/** What browsers with trusted types have. */
interface TrustedTypes {
  readonly trustedTypes?: {
    createPolicy(name: string, rules: { createScriptURL(url: string): string }): {
      createScriptURL(url: string): string;
    };
  };
}

let policy: ReturnType<NonNullable<TrustedTypes["trustedTypes"]>["createPolicy"]> | undefined;

/** The address of a module, as pages take it that demand trusted types. */
function trusted({ href }: URL): string {
  const { trustedTypes } = globalThis as TrustedTypes;
  policy ??= trustedTypes?.createPolicy("strongroom-scanner", { createScriptURL: (url) => url });
  return policy?.createScriptURL(href) ?? href;
}
