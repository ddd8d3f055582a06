import { consoleHeaders, errorOf, expireSession, unreachable } from "../shared/api.ts";
import { session } from "../shared/session.ts";
import { Watch } from "../shared/watch.ts";

/**
 * Sends content. By XMLHttpRequest, as fetch shows no progress. Gives up when nothing moves any more.
 *
 * @throws {ApiError}
 */
export function sendBody(
  method: string,
  url: string,
  { headers = {}, body, onProgress = () => {}, signal }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: Blob;
    /** @param sent The bytes that have left. */
    readonly onProgress?: (sent: number) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { value: sender } = session;
  const watch = new Watch(() => unreachable(undefined));
  const xhr = new XMLHttpRequest();
  xhr.open(method, url);
  for (const [name, value] of Object.entries({ ...consoleHeaders(), ...headers })) {
    xhr.setRequestHeader(name, value);
  }
  xhr.upload.onprogress = ({ loaded }) => {
    watch.wait();
    onProgress(loaded);
  };
  xhr.onload = () => {
    if (xhr.status < 300) return resolve();
    const failure = errorOf(
      xhr.status,
      { get: (name) => xhr.getResponseHeader(name) },
      xhr.responseText,
    );
    if (failure.status === 401) expireSession(failure, sender);
    reject(failure);
  };
  xhr.onerror = () => reject(unreachable(undefined));
  const ended = AbortSignal.any([signal, watch.signal]);
  const abort = () => xhr.abort();
  ended.addEventListener("abort", abort);
  xhr.onabort = () => reject(ended.reason);
  xhr.onloadend = () => {
    watch.rest();
    ended.removeEventListener("abort", abort);
  };
  watch.wait();
  xhr.send(body);
  return promise;
}
