import { type ComponentChild, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loading, Problem } from "./states.ts";

type View<Props> = (props: Props) => ComponentChild;

/**
 * A component whose modules browsers load when it is shown first.
 *
 * @param what What is loaded, in words.
 */
export function later<Props extends object>(
  what: string,
  load: () => Promise<View<Props>>,
): View<Props> {
  let view: View<Props> | undefined;
  return (props) => {
    const [problem, setProblem] = useState<Error>();
    const [isLoaded, setLoaded] = useState(view !== undefined);
    useEffect(() => {
      if (isLoaded) return;
      load().then((found) => {
        view = found;
        setLoaded(true);
      }, () => setProblem(new Error("This part of the console could not be loaded")));
    }, []);
    if (view !== undefined && isLoaded) return h(view, props);
    // The server may have another console by now, so the page is loaded as a whole.
    return problem === undefined
      ? h(Loading, { what })
      : h(Problem, { error: problem, retry: () => location.reload(), isPage: true });
  };
}
