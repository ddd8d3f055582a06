/** The built-in objects of the language whose state could carry something from one scan to the next. */
const INTRINSICS: readonly unknown[] = [
  Object,
  Function,
  Array,
  String,
  Number,
  Boolean,
  Symbol,
  BigInt,
  Date,
  RegExp,
  Promise,
  Map,
  Set,
  WeakMap,
  WeakSet,
  WeakRef,
  Proxy,
  Reflect,
  JSON,
  Math,
  Intl,
  Atomics,
  ArrayBuffer,
  SharedArrayBuffer,
  DataView,
  Iterator,
  Uint8Array,
  Uint8ClampedArray,
  Uint16Array,
  Uint32Array,
  Int8Array,
  Int16Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  EvalError,
  ReferenceError,
  URIError,
  AggregateError,
  URL,
  TextDecoder,
  TextEncoder,
  [][Symbol.iterator](),
  new Map()[Symbol.iterator](),
  new Set()[Symbol.iterator](),
  ""[Symbol.iterator](),
  "".matchAll(/x/g),
  function* () {},
  (function* () {})(),
  async function* () {},
];

const ERRORS = INTRINSICS.filter((it) => typeof it === "function" && /Error$/.test(it.name));

/**
 * Freezes the built-in objects of this thread, so that code which changes one fails instead of
 * affecting later scans.
 */
export function freezeIntrinsics(): void {
  for (const error of ERRORS) allowOwnProperties(Reflect.get(Object(error), "prototype"));
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    const isObject = typeof value === "object" && value !== null;
    if (!(isObject || typeof value === "function") || seen.has(value)) return;
    seen.add(value);
    for (
      const { value: inner, get, set } of Object.values(Object.getOwnPropertyDescriptors(value))
    ) {
      [inner, get, set].forEach(visit);
    }
    visit(Object.getPrototypeOf(value));
    Object.freeze(value);
  };
  INTRINSICS.forEach(visit);
}

/**
 * Lets code assign properties of objects although their prototype has a frozen property of that name:
 * the runtime assigns the names of its errors.
 */
function allowOwnProperties(prototype: object): void {
  for (
    const [key, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))
  ) {
    if (!writable) continue;
    Object.defineProperty(prototype, key, {
      get: () => value,
      set(this: object, own: unknown) {
        Object.defineProperty(this, key, {
          value: own,
          writable: true,
          enumerable: false,
          configurable: true,
        });
      },
    });
  }
}
