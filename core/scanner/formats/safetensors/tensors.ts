import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { Facts } from "../../../../schemas/facts.ts";
import type { AssetParts } from "../../contract/scanner.ts";
import { ElementCounts } from "../tensors/element_counts.ts";
import { checkTensorLayout, endOfTensors, type TensorExtent } from "../tensors/layout.ts";
import { checkTensorName, listedNames } from "../tensors/names.ts";
import { type NameFacts, TensorNames } from "../tensors/tensor_names.ts";
import { readEntry, type TensorEntry } from "./entry.ts";

const ENTRY = "Safetensors Tensor Entry";
const OFFSETS = "Safetensors Tensor Offsets";
const SIZE = "Safetensors Tensor Size";
const LAYOUT = "Safetensors Tensor Layout";
const NAME = "Safetensors Tensor Name";

/** Checks the tensors that a header lists. */
export class TensorTable {
  readonly #entries: Readonly<Record<string, unknown>>;
  readonly #names: readonly string[];
  readonly #dataSize: number;
  readonly #checks: Checklist;
  readonly #counts = new ElementCounts();

  /**
   * @param entries The header without `__metadata__`: tensor entries by name.
   * @param dataSize Bytes after the header.
   */
  constructor(
    entries: Readonly<Record<string, unknown>>,
    dataSize: number,
    checks: Checklist,
  ) {
    this.#entries = entries;
    this.#names = Object.keys(entries);
    this.#dataSize = dataSize;
    this.#checks = checks;
  }

  get assetParts(): AssetParts {
    return { tensors: listedNames(this.#names) };
  }

  /** The tensors in numbers, for the metadata of the file (SR 2.5). */
  get facts(): Readonly<Record<string, unknown>> {
    return {
      tensor_count: this.#names.length,
      is_model: this.#names.length > 0,
      ml_context: {
        frameworks: {
          safetensors: { name: "safetensors", confidence: 1, indicators: ["safetensors header"] },
        },
        overall_confidence: 1,
        is_ml_content: true,
        ...this.#counts.facts,
        ...this.#nameFacts(),
      },
    };
  }

  /** What the header says of the tensors (C 29). */
  get tensorFacts(): Facts {
    return { format: "safetensors", ...this.#counts.tensorFacts };
  }

  #nameFacts(): NameFacts {
    const names = new TensorNames();
    for (const name of this.#names) names.add(name);
    return names.facts(this.#counts.types);
  }

  /**
   * Checks the name, entry, offsets and size of every tensor, and their layout.
   *
   * @returns the end of the last tensor, in bytes from the start of the data.
   */
  check(): number {
    this.#begin();
    const extents: TensorExtent[] = [];
    for (const name of this.#names) {
      const entry = this.#checkEntry(name);
      if (entry === undefined) continue;
      const extent = this.#extentOf(name, entry);
      if (extent === undefined) this.#failOffsets(name, entry);
      else extents.push(extent);
      this.#counts.add(entry.dtype, entry.elements, entry.byteSize);
    }
    checkTensorLayout(LAYOUT, extents, this.#checks);
    return endOfTensors(extents);
  }

  #begin(): void {
    this.#checks.begin(ENTRY, "Every tensor has a known type, a shape and offsets");
    this.#checks.begin(OFFSETS, "Every tensor is within the file");
    this.#checks.begin(SIZE, "Every tensor has the size of its type and shape");
    if (this.#names.length === 0) return;
    this.#checks.begin(NAME, "Tensor names do not look like paths or code");
  }

  #checkEntry(name: string): TensorEntry | undefined {
    checkTensorName(NAME, name, this.#checks);
    const shown = excerpt(name);
    const entry = readEntry(this.#entries[name]);
    if ("problem" in entry) {
      const message = `Tensor "${shown}" has ${entry.problem}`;
      this.#checks.add(
        ENTRY,
        entry.overflows
          ? { message, severity: "critical", ruleCode: "S804" }
          : { message, severity: "warning", ruleCode: "S902" },
      );
      return undefined;
    }
    this.#checkSize(shown, entry);
    return entry;
  }

  #checkSize(shown: string, entry: TensorEntry): void {
    const unexpected = entry.unexpected[0];
    if (unexpected !== undefined) {
      const message = `Tensor "${shown}" has unexpected key ${quotedExcerpt(unexpected)}`;
      this.#checks.add(ENTRY, { message, severity: "info", ruleCode: "S902" });
    }
    if (!entry.known) {
      this.#checks.add(ENTRY, {
        message: `Tensor "${shown}" has unknown type ${quotedExcerpt(entry.dtype)}`,
        severity: "info",
        ruleCode: "S902",
        incomplete: "unknown_dtype",
      });
      return;
    }
    const actual = entry.end - entry.begin;
    if (actual === entry.byteSize || actual < 0n) return;
    const expected = entry.byteSize ?? "a fraction of a byte";
    this.#checks.add(SIZE, {
      message: `Tensor "${shown}" has ${actual} bytes; its type and shape require ${expected}`,
      severity: "critical",
      ruleCode: "S904",
      details: { dtype: entry.dtype, elements: `${entry.elements}` },
    });
  }

  #failOffsets(name: string, { begin, end }: TensorEntry): void {
    this.#checks.add(OFFSETS, {
      message: `Tensor ${
        quotedExcerpt(name)
      } has invalid offsets ${begin} to ${end} in ${this.#dataSize} bytes of data`,
      severity: "critical",
      ruleCode: "S904",
      details: { begin: `${begin}`, end: `${end}`, data_size: this.#dataSize },
    });
  }

  /** The extent of a tensor, or undefined if it is not within the data. */
  #extentOf(name: string, { begin, end }: TensorEntry): TensorExtent | undefined {
    if (end < begin || end > BigInt(this.#dataSize)) return undefined;
    return { name, begin: Number(begin), end: Number(end) };
  }
}
