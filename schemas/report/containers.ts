import * as v from "valibot";
import { isObject } from "../json.ts";

/**
 * The number of issues after which a list or map stops validating its items. Valibot's own array and
 * record collect issues for every item, and a hostile report can have millions.
 */
const MAX_ISSUES = 1001;

/** Keys that valibot drops from an object. Here they are data: a file may have such a name. */
const DROPPED_KEYS = ["__proto__", "constructor", "prototype"];

const ARRAY = "an array";
const OBJECT = "an object";

type Issue = v.BaseIssue<unknown>;
/** The schema from which the type of the declared properties is inferred. */
type Declared<Entries extends v.ObjectEntries> = v.ObjectSchema<Entries, string>;

/** Refuses arrays, which valibot's object schemas accept. */
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
 * An object whose undeclared properties are kept (SR 1). Its type has only the declared ones, so a
 * misspelled property is a type error.
 */
export function openObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.GenericSchema<v.InferInput<Declared<Entries>>, v.InferOutput<Declared<Entries>>> {
  return extensibleObject(entries);
}

/** An object whose undeclared properties are kept (SR 1), with type `unknown`. */
export function extensibleObject<const Entries extends v.ObjectEntries>(entries: Entries) {
  const schema = v.looseObject(entries, OBJECT);
  const run = schema["~run"].bind(schema);
  const keepingAll: typeof run = (dataset, config) => {
    const input = dataset.value;
    const result = run(dataset, config);
    for (const key of DROPPED_KEYS) {
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
    for (let key = 0; key < input.length && issues.length < MAX_ISSUES; key++) {
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

/** An object with arbitrary keys, all of which are kept. */
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
      if (issues.length >= MAX_ISSUES) break;
    }
    return outcome(output, issues);
  };
  return notArray(Object.assign(schema, { "~run": bounded }));
}

/** Prepends a step to the path of issues. */
function below(step: v.IssuePathItem, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: [step, ...issue.path ?? []] }));
}

function outcome<Output>(value: Output, issues: Issue[]): v.OutputDataset<Output, Issue> {
  const [first, ...others] = issues;
  return first === undefined
    ? { typed: true, value }
    : { typed: false, value, issues: [first, ...others] };
}

/** Defines an own property, even if it is named `__proto__`. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
