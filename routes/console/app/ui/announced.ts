import { type ComponentChild, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Words that change more often are read out once in this time, in milliseconds. */
const PAUSE_MS = 5000;

/**
 * Words for screen readers alone. They follow what is passed at most once in five seconds, and have its last words
 * in the end.
 */
export function Announced({ words }: { readonly words: string }): ComponentChild {
  const [said, setSaid] = useState("");
  const saidAt = useRef(-PAUSE_MS);
  useEffect(() => {
    const say = () => {
      saidAt.current = performance.now();
      setSaid(words);
    };
    const wait = saidAt.current + PAUSE_MS - performance.now();
    if (wait <= 0) {
      say();
      return;
    }
    const timer = setTimeout(say, wait);
    return () => clearTimeout(timer);
  }, [words]);
  return h("p", { class: "visually-hidden", role: "status" }, said);
}
