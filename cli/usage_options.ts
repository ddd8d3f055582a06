import { usageNamed } from "./usage.ts";
import type { Usage } from "./usage_type.ts";

/** An option of a command, as its usage explains it. */
export interface Option {
  readonly short: string | undefined;
  readonly long: string;
  /** The name of its value, if it takes one. */
  readonly value: string | undefined;
  /** Empty if only a form of the command has it. */
  readonly description: string;
}

/** A line such as `  -o, --output FILE      Write the report to a file`. */
const OPTION_LINE = /^ {2}(?:(-\w), )?(--[\w-]+)(?: ([^ ]+))? {2,}(.+)$/gm;
/** An option in a form, such as `[--ttl 1h]` or `--user ID`. */
const FORM_OPTION = /(?:^|[ [])(--[\w-]+)(?: ([\w=]+))?/g;

/** The options in the forms and details of a usage. */
export function optionsOf({ forms, details = "" }: Usage): Option[] {
  const explained = [...details.matchAll(OPTION_LINE)].map((
    [, short, long = "", value, description = ""],
  ) => ({ short, long, value, description }));
  const others = forms.flatMap((form) => [...form.matchAll(FORM_OPTION)]).map((
    [, long = "", value],
  ) => ({ short: undefined, long, value, description: "" }));
  const options = new Map([...others, ...explained].map((it) => [it.long, it]));
  return [...options.values()];
}

/** The words that its forms have right after the name of a command: `list` in `token list`. */
export function subcommandsOf(name: string): string[] {
  const words = usageNamed(name)?.forms.map((form) => form.split(" ")[1] ?? "") ?? [];
  return words.flatMap((word) => word.split("|")).filter((word) => /^[a-z]+$/.test(word));
}
