interface Builtins {
  readonly "node:buffer": typeof import("node:buffer");
  readonly "node:crypto": typeof import("node:crypto");
  readonly "node:fs": typeof import("node:fs");
  readonly "node:worker_threads": typeof import("node:worker_threads");
  readonly "node:zlib": typeof import("node:zlib");
}

/** What Node.js, Deno and Bun have of the global `process`. */
interface Runtime {
  readonly process?: {
    getBuiltinModule?<Name extends keyof Builtins>(name: Name): Builtins[Name];
  };
}

/**
 * A module of the runtime; undefined in browsers. An import would keep the package from loading there, and
 * in versions of Node.js that lack one of the functions.
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  // The type library does not know the global, which differs by runtime.
  const { process } = globalThis as Runtime;
  return process?.getBuiltinModule?.(name);
}
