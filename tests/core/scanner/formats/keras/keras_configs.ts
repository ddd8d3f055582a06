import { kerasScanner } from "../../../../../core/scanner/formats/keras/scanner.ts";
import { scan } from "../format_scan.ts";

export type Json = Readonly<Record<string, unknown>>;

export function text(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
}

export function scanConfig(value: unknown) {
  return scan(kerasScanner, text(value), { name: "config.json", depth: 1 });
}

/** A serialized Keras object. */
export function object(class_name: string, config: unknown, rest: Json = {}): Json {
  return { module: "keras.layers", class_name, config, registered_name: null, ...rest };
}

export function model(...layers: unknown[]): Json {
  return object("Functional", { name: "model", layers, input_layers: [["input", 0, 0]] }, {
    module: "keras.src.models.functional",
    registered_name: "Functional",
    build_config: { input_shape: [null, 4] },
    compile_config: {
      optimizer: object("Adam", { learning_rate: 0.001 }, { module: "keras.optimizers" }),
      loss: object("function", "mse", { module: "builtins", registered_name: "function" }),
      metrics: ["accuracy"],
    },
  });
}

export const DENSE = object("Dense", {
  name: "dense",
  dtype: object("DTypePolicy", { name: "float32" }, { module: "keras" }),
  kernel_initializer: object("GlorotUniform", { seed: null }, { module: "keras.initializers" }),
  activation: "relu",
});

/** A serialized lambda with marshalled code in Base64. */
export function lambda(code: string): Json {
  return object("__lambda__", { code, defaults: null, closure: null }, { module: "builtins" });
}

export const lambdaLayer = (code: string) =>
  object("Lambda", { name: "l", function: lambda(code) });

/** In the format of Keras 2. */
export const oldLambdaLayer = (code: string) => ({
  class_name: "Lambda",
  config: { name: "l", function: [code, null, null], function_type: "lambda", module: "__main__" },
});
