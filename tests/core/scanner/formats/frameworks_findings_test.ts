import * as assert from "node:assert/strict";
import { caffeScanner } from "../../../../core/scanner/formats/caffe/scanner.ts";
import { catBoostScanner } from "../../../../core/scanner/formats/catboost/scanner.ts";
import { cntkScanner } from "../../../../core/scanner/formats/cntk/scanner.ts";
import { compiledScanner } from "../../../../core/scanner/formats/compiled/scanner.ts";
import { coreMlScanner } from "../../../../core/scanner/formats/coreml/scanner.ts";
import { execuTorchScanner } from "../../../../core/scanner/formats/executorch/scanner.ts";
import { flaxScanner } from "../../../../core/scanner/formats/flax/scanner.ts";
import { lightGbmScanner } from "../../../../core/scanner/formats/lightgbm/scanner.ts";
import { mxnetScanner } from "../../../../core/scanner/formats/mxnet/scanner.ts";
import { ociScanner } from "../../../../core/scanner/formats/oci/scanner.ts";
import { paddleScanner } from "../../../../core/scanner/formats/paddle/scanner.ts";
import { tfliteScanner } from "../../../../core/scanner/formats/tflite/scanner.ts";
import { torch7Scanner } from "../../../../core/scanner/formats/torch7/scanner.ts";
import { xgboostScanner } from "../../../../core/scanner/formats/xgboost/scanner.ts";
import type { Scanner } from "../../../../core/scanner/contract/scanner.ts";
import { bytes, int, message } from "../readers/protobuf/protobuf_bytes.ts";
import { verdict } from "../verdict.ts";
import { describeFailures, scan } from "./format_scan.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Scanner, name, content and verdict: I inconclusive, W warning, C critical, OK clean. */
const ROWS: readonly (readonly [Scanner, string, string, Uint8Array, "C" | "W" | "I" | "OK"])[] = [
  // What is recognized, but not read.
  [cntkScanner, "CNTK 1", "m.dnn", encode("B\0C\0N\0\0\0"), "I"],
  [torch7Scanner, "Torch7 as text", "m.t7", encode("4\n1\n3\nV 1\n9\nnn.Linear\n"), "I"],
  [xgboostScanner, "XGBoost before 1.0", "m.model", encode("binf\0\0\0\0"), "I"],
  [compiledScanner, "an encrypted RKNN model", "m.rknn", encode("CYPTRKNN\0"), "I"],
  // What is named like a format and is another.
  [tfliteScanner, "not TFLite", "m.tflite", encode("hello, world"), "W"],
  [execuTorchScanner, "not ExecuTorch", "m.pte", encode("hello, world"), "W"],
  [coreMlScanner, "not Core ML", "m.mlmodel", encode("hello"), "I"],
  [paddleScanner, "not Paddle", "m.pdmodel", int(4, 1), "I"],
  // What is cut off.
  [tfliteScanner, "a truncated TFLite model", "m", encode("\x40\0\0\0TFL3"), "I"],
  [execuTorchScanner, "a truncated program", "m", encode("\x40\0\0\0ET12"), "I"],
  [catBoostScanner, "a truncated CatBoost model", "m.cbm", encode("CBM1\xff\0\0\0"), "I"],
  [lightGbmScanner, "a truncated LightGBM model", "m", encode("tree\nversion=v4\nTree=0\n"), "I"],
  [flaxScanner, "truncated MessagePack", "m.msgpack", Uint8Array.of(0x82, 0xa1, 0x61), "I"],
  // Custom layers of Core ML in the network of a loop, and in the branch of a branch.
  [
    coreMlScanner,
    "a custom layer in a loop",
    "m",
    network(bytes(615, bytes(4, customLayer()))),
    "W",
  ],
  [
    coreMlScanner,
    "a custom layer in a branch",
    "m",
    network(bytes(605, bytes(2, bytes(1, bytes(605, bytes(1, customLayer())))))),
    "W",
  ],
  [coreMlScanner, "an ordinary layer", "m", network(bytes(140, "x")), "OK"],
  // Operators.
  [mxnetScanner, "a file that is read", "x-symbol.json", symbol("_cvimread"), "W"],
  [mxnetScanner, "an operator of MXNet", "x-symbol.json", symbol("Convolution"), "OK"],
  [
    mxnetScanner,
    "an address in a subgraph",
    "x-symbol.json",
    encode('{"nodes":[{"op":"_foreach","subgraphs":[{"nodes":[{"op":"_NDArray"}]}]}]}'),
    "C",
  ],
  [paddleScanner, "a load of a file outside", "m.pdmodel", paddle("load", "/etc/hostname"), "C"],
  [paddleScanner, "a load of a file", "m.pdmodel", paddle("load", "weights"), "W"],
  [paddleScanner, "an operator of Paddle", "m.pdmodel", paddle("relu", "weights"), "OK"],
  [
    caffeScanner,
    "a layer that writes outside",
    "m.prototxt",
    encode("layer { name: 'a' type: 'HDF5Output' hdf5_output_param { file_name: '/tmp/x' } }"),
    "C",
  ],
  [caffeScanner, "code in place of a module", "m.prototxt", caffeLayer("os;print(1)", "x"), "C"],
  [caffeScanner, "not the text format", "m.prototxt", encode("layer { name: "), "I"],
  // Manifests.
  [ociScanner, "a weak digest", "m", oci('"digest":"md5:abc"'), "W"],
  [ociScanner, "a digest with a path", "m", oci('"digest":"../../x"'), "W"],
  [
    ociScanner,
    "an ordinary title",
    "m",
    oci('"annotations":{"org.opencontainers.image.title":"a"}'),
    "OK",
  ],
];

function network(layer: Uint8Array): Uint8Array {
  return message(int(1, 4), bytes(2, ""), bytes(500, bytes(1, bytes(1, "l"), layer)));
}

function customLayer(): Uint8Array {
  return bytes(1, bytes(1, "own"), bytes(500, bytes(10, "Own")));
}

function symbol(operator: string): Uint8Array {
  return encode(JSON.stringify({ nodes: [{ op: operator, name: "x" }] }));
}

function paddle(type: string, path: string): Uint8Array {
  const attribute = bytes(4, bytes(1, "file_path"), int(2, 2), bytes(5, path));
  // Fields may be in any order: the attribute comes before the type.
  return bytes(1, int(1, 0), bytes(4, attribute, bytes(3, type)));
}

function caffeLayer(module: string, layer: string): Uint8Array {
  const python = `python_param { module: '${module}' layer: '${layer}' }`;
  return encode(`layer { name: 'a' type: 'Python' ${python} }`);
}

function oci(layer: string): Uint8Array {
  return encode(
    `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","layers":[{${layer}}]}`,
  );
}

Deno.test("scanning 2.12 formats of frameworks get their verdicts", async (t) => {
  for (const [scanner, shows, name, content, expected] of ROWS) {
    await t.step(`scanning 2.12 ${shows}`, () => {
      const { checks } = scan(scanner, content, { name });
      assert.equal(verdict(checks), expected, describeFailures(checks));
    });
  }
});
