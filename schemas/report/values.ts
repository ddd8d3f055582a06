import * as v from "valibot";

// The message of each schema is what it allows, as in schemas/settings.ts.

/** What a program writes for a schema. Properties with a default may be omitted. */
export type Written<Schema extends v.GenericSchema> = Immutable<v.InferInput<Schema>>;

/** A type with read-only properties at every level. */
type Immutable<Value> = Value extends readonly unknown[] ? readonly Immutable<Value[number]>[]
  : Value extends object ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value;

export const text = v.string("a string");
export const flag = v.boolean("true or false");
export const finite = v.pipe(v.number("a number"), v.finite("a finite number"));
export const integer = v.pipe(v.number("an integer"), v.integer("an integer"));
export const count = atLeast(0);
/** A confidence or ratio. */
export const fraction = v.pipe(
  v.number("a number from 0 to 1"),
  v.minValue(0, "a number from 0 to 1"),
  v.maxValue(1, "a number from 0 to 1"),
);
const SEGMENT = "(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*";
const IP_LITERAL = "//(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?\\[[0-9A-Fa-f:.]+\\]";
/** A URI (RFC 3986): brackets only enclose an IPv6 address, and there is at most one fragment. */
const URI = new RegExp(
  `^[A-Za-z][A-Za-z0-9+.-]*:(?:${IP_LITERAL}(?::[0-9]*)?(?:[/?]${SEGMENT})?|${SEGMENT})(?:#${SEGMENT})?$`,
);
const A_URI = "a URI of 1 to 2083 characters";
export const uri = v.pipe(
  v.string(A_URI),
  v.minLength(1, A_URI),
  v.maxLength(2083, A_URI),
  v.regex(URI, A_URI),
);

/** An integer of at least `min`. */
export function atLeast(min: number) {
  const allowed = `an integer of at least ${min}`;
  return v.pipe(v.number(allowed), v.integer(allowed), v.minValue(min, allowed));
}

/** A digest of `length` hexadecimal digits in upper or lower case (SR 2.6). */
export function hex(length: number) {
  const allowed = `${length} hexadecimal digits`;
  return v.pipe(v.string(allowed), v.regex(new RegExp(`^[0-9a-fA-F]{${length}}$`), allowed));
}

/** One of the given words. */
export function oneOf<const Words extends readonly string[]>(...words: Words) {
  return v.picklist(words, `one of ${words.join(", ")}`);
}

/** The value or null; null by default. */
export function orNull<Input, Output>(schema: v.GenericSchema<Input, Output>) {
  const nullable = v.nullish(schema, null);
  return Object.assign(nullable, { "~run": mentioningNull(nullable["~run"].bind(nullable)) });
}

/** The value or null, without a default. */
export function maybeNull<Input, Output>(schema: v.GenericSchema<Input, Output>) {
  const nullable = v.nullish(schema);
  return Object.assign(nullable, { "~run": mentioningNull(nullable["~run"].bind(nullable)) });
}

type Run<Output> = v.GenericSchema<unknown, Output>["~run"];

/** Adds "or null" to the message of an issue with the value itself, not with a part of it. */
function mentioningNull<Output>(run: Run<Output>): Run<Output> {
  return (dataset, config) => {
    const result = run(dataset, config);
    const [issue] = result.issues ?? [];
    if (issue === undefined || issue.path !== undefined) return result;
    const message = `${issue.message} or null`;
    return { typed: false, value: result.value, issues: [{ ...issue, message }] };
  };
}
