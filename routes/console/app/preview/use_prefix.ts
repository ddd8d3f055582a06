import { useEffect, useMemo, useState } from "preact/hooks";
import { FilePrefix, type ReadFile } from "./prefix.ts";

/** The beginning of a file, read step by step. */
interface Beginning {
  /** What was read. Empty at first. */
  readonly start: Uint8Array<ArrayBuffer>;
  /** Reads another step, or once more what could not be read. */
  readonly more: () => void;
  readonly isReading: boolean;
  readonly error: unknown;
}

/** Reads the first step of a file, and more on request. What was read stays while more is on its way. */
export function usePrefix(file: ReadFile, stepBytes: number): Beginning {
  const abort = useMemo(() => new AbortController(), []);
  const prefix = useMemo(() => new FilePrefix(file, abort.signal), []);
  const [start, setStart] = useState<Uint8Array<ArrayBuffer>>(new Uint8Array(0));
  const [isReading, setReading] = useState(true);
  const [error, setError] = useState<unknown>();
  const more = () => {
    setReading(true);
    setError(undefined);
    prefix.upTo(start.length + stepBytes).then((bytes) => {
      setStart(bytes);
      setReading(false);
    }, (cause) => {
      if (abort.signal.aborted) return;
      setError(cause);
      setReading(false);
    });
  };
  useEffect(() => {
    more();
    return () => abort.abort();
  }, []);
  return { start, more, isReading, error };
}
