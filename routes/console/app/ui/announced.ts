import { type ComponentChild, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Words that change more often are read out once in this time, in milliseconds. */
const PAUSE_MS = 5000;

/**
 * Words for screen readers alone. They follow what is passed at most once in a pause, and have its last words in the
 * end.
 *
 * @param pause In milliseconds. @default 5000
 */
export function Announced(
  { words, pause = PAUSE_MS }: { readonly words: string; readonly pause?: number },
): ComponentChild {
  const [said, setSaid] = useState("");
  const saidAt = useRef(-Infinity);
  useEffect(() => {
    const say = () => {
      saidAt.current = performance.now();
      setSaid(words);
    };
    const wait = saidAt.current + pause - performance.now();
    if (wait <= 0) {
      say();
      return;
    }
    const timer = setTimeout(say, wait);
    return () => clearTimeout(timer);
  }, [words]);
  return h("p", { class: "visually-hidden", role: "status" }, said);
}
