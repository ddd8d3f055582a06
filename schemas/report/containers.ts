import * as v from "valibot";
import { isObject } from "../json.ts";

/**
 * How many issues a list or a map collects before it looks no further: valibot's own collect one for
 * each of their items, which a hostile report can have millions of.
 */
const ENOUGH_ISSUES = 1001;

/** Names that valibot leaves out of an object. Here they are data: a file may be called so. */
const UNUSUAL_KEYS = ["__proto__", "constructor", "prototype"];

const ARRAY = "an array";
const OBJECT = "an object";

type Issue = v.BaseIssue<unknown>;
/** What valibot infers of an object without undeclared properties. */
type Declared<Entries extends v.ObjectEntries> = v.ObjectSchema<Entries, string>;

/** The schema, for anything but an array, which valibot's schemas of objects accept, too. */
function notArray<Input, Output>(
  schema: v.GenericSchema<Input, Output>,
): v.GenericSchema<Input, Output> {
  return v.pipe(v.custom<Input>(isObject, OBJECT), schema);
}

/** An object whose undeclared properties are dropped. */
export function closedObject<const Entries extends v.ObjectEntries>(entries: Entries) {
  return notArray(v.object(entries, OBJECT));
}

/**
 * An object whose undeclared properties are kept (SR 1). The type has only the declared ones, so that
 * a misspelled property is a type error.
 */
export function openObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.GenericSchema<v.InferInput<Declared<Entries>>, v.InferOutput<Declared<Entries>>> {
  return extensibleObject(entries);
}

/** An object whose undeclared properties are kept (SR 1). The type has them as `unknown`. */
export function extensibleObject<const Entries extends v.ObjectEntries>(entries: Entries) {
  const schema = v.looseObject(entries, OBJECT);
  const run = schema["~run"].bind(schema);
  const keepingAll: typeof run = (dataset, config) => {
    const input = dataset.value;
    const result = run(dataset, config);
    for (const key of UNUSUAL_KEYS) {
      if (!isObject(input) || !Object.hasOwn(input, key) || !isObject(result.value)) continue;
      define(result.value, key, input[key]);
    }
    return result;
  };
  return notArray(Object.assign(schema, { "~run": keepingAll }));
}

/** An array. */
export function listOf<Input, Output>(item: v.GenericSchema<Input, Output>) {
  const schema = v.array(item, ARRAY);
  const run = schema["~run"].bind(schema);
  const bounded: typeof run = (dataset, config) => {
    const input: unknown = dataset.value;
    if (!Array.isArray(input)) return run(dataset, config);
    const output: Output[] = [];
    const issues: Issue[] = [];
    for (let key = 0; key < input.length && issues.length < ENOUGH_ISSUES; key++) {
      const value: unknown = input[key];
      const result = item["~run"]({ value }, config);
      if (result.issues === undefined) output.push(result.value);
      else {issues.push(
          ...below({ type: "array", origin: "value", input, key, value }, result.issues),
        );}
    }
    return outcome(output, issues);
  };
  return Object.assign(schema, { "~run": bounded });
}

/** An object with any keys, which stay as they are. */
export function mapOf<Input, Output>(item: v.GenericSchema<Input, Output>) {
  const schema = v.record(v.string(), item, OBJECT);
  const run = schema["~run"].bind(schema);
  const bounded: typeof run = (dataset, config) => {
    const input: unknown = dataset.value;
    if (!isObject(input)) return run(dataset, config);
    const output: Record<string, Output> = {};
    const issues: Issue[] = [];
    for (const [key, value] of Object.entries(input)) {
      const result = item["~run"]({ value }, config);
      if (result.issues === undefined) define(output, key, result.value);
      else {issues.push(
          ...below({ type: "object", origin: "value", input, key, value }, result.issues),
        );}
      if (issues.length >= ENOUGH_ISSUES) break;
    }
    return outcome(output, issues);
  };
  return notArray(Object.assign(schema, { "~run": bounded }));
}

/** The issues of a part as those of the whole. */
function below(part: v.IssuePathItem, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: [part, ...issue.path ?? []] }));
}

function outcome<Output>(value: Output, issues: Issue[]): v.OutputDataset<Output, Issue> {
  const [first, ...others] = issues;
  return first === undefined
    ? { typed: true, value }
    : { typed: false, value, issues: [first, ...others] };
}

/** Sets a property of the object's own, whatever its name. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
