import { bytes, type Content, int, message } from "../../readers/protobuf/protobuf_bytes.ts";

export const FLOAT = 1;
export const INT4 = 22;

export function model(...graph: Content[]): Uint8Array {
  return message(int(1, 10), bytes(2, "pytorch"), bytes(3, "2.4"), bytes(7, ...graph), opset());
}

export function opset(domain = ""): Uint8Array {
  return bytes(8, bytes(1, domain), int(2, 17));
}

export function node(operator: string, ...rest: Content[]): Uint8Array {
  return bytes(1, bytes(1, "x"), bytes(2, "y"), bytes(4, operator), ...rest);
}

/** An entry of `external_data`. */
export function entry(key: string, value: string): Uint8Array {
  return bytes(13, bytes(1, key), bytes(2, value));
}

/** A tensor with external data. */
export function external(location: string, ...rest: Content[]): Uint8Array {
  const tensor = [int(1, 2), int(2, FLOAT), bytes(8, "w"), entry("location", location)];
  return message(...tensor, ...rest, int(14, 1));
}

/** A tensor with `size` bytes of raw data. */
export function raw(dims: number[], type: number, size: number): Uint8Array {
  const shape = dims.map((dim) => int(1, dim));
  return message(...shape, int(2, type), bytes(8, "w"), bytes(9, new Uint8Array(size)));
}

export const initializer = (tensor: Uint8Array) => bytes(5, tensor);

export const attribute = (number: number, value: Content) =>
  bytes(5, bytes(1, "body"), bytes(number, value));

/** A model without findings. */
export const BENIGN = model(
  node("Conv", attribute(5, raw([2, 2], FLOAT, 16))),
  node("FusedMatMul", bytes(7, "com.microsoft")),
  node("Gather", bytes(7, "ai.onnx.ml")),
  bytes(2, "main"),
  initializer(raw([2, 3], FLOAT, 24)),
  initializer(raw([3], INT4, 2)),
  initializer(raw([0, 5], FLOAT, 0)),
  initializer(external("model.onnx.data", entry("offset", "4096"), entry("length", "8"))),
  bytes(11, bytes(1, "x")),
  bytes(12, bytes(1, "y")),
);
