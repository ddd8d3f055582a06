import type { Check, Severity } from "../scanner.ts";

/** The most failed checks of one name that are told one by one. */
const MOST_FAILURES = 100;

/** What a failed check says besides its name. */
export type Finding = Omit<Check, "name" | "status">;

/**
 * Keeps book of checks that are made again and again, for each member of an archive: the failed ones
 * are told one by one up to a bound, and those that never failed once, as passed.
 */
export class Checklist<Name extends string> {
  readonly #passed: Readonly<Record<Name, string>>;
  readonly #failures = new Map<string, number>();
  readonly #untold = new Map<string, Check>();

  /** @param passed what each check says where nothing was wrong. */
  constructor(passed: Readonly<Record<Name, string>>) {
    this.#passed = passed;
  }

  /** The failed check, unless too many of its name were told already. */
  *fail(name: Name, finding: Finding): Generator<Check, void, void> {
    const check: Check = { status: "failed", ...finding, name };
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    if (failures <= MOST_FAILURES) yield check;
    else this.#untold.set(name, worse(this.#untold.get(name), check));
  }

  /** What passed, and how many failures were not told, with the worst of them. */
  *rest(): Generator<Check, void, void> {
    for (const [name, message] of Object.entries<string>(this.#passed)) {
      const failures = this.#failures.get(name) ?? 0;
      if (failures === 0) yield { name, status: "passed", message };
      const worst = this.#untold.get(name);
      if (worst) {
        yield {
          ...worst,
          message: `${failures - MOST_FAILURES} more of these, such as: ${worst.message}`,
        };
      }
    }
  }
}

const SEVERITIES: readonly Severity[] = ["debug", "info", "warning", "critical"];

function worse(one: Check | undefined, other: Check): Check {
  const rank = ({ severity }: Check) => SEVERITIES.indexOf(severity ?? "debug");
  return one && rank(one) >= rank(other) ? one : other;
}
