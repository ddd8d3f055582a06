import type { Checklist } from "../../contract/checklist.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { decodeLatin1, readSafeUint64, viewOf } from "../../readers/bytes/bytes.ts";
import {
  flatbufferIdentifier,
  FlatbufferReader,
  type FlatTable,
} from "../../readers/flatbuffers/flatbuffer.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { checkModelText } from "../model/text.ts";

const STRUCTURE = "ExecuTorch Program Structure";
const OPERATORS = "ExecuTorch Operators";
const SEGMENTS = "ExecuTorch Segments";
const TEXT = "ExecuTorch Text";

/** Checks programs of ExecuTorch: operators, delegates and segments. */
export const execuTorchScanner = modelScanner({
  id: "executorch",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The program was read completely",
    [OPERATORS]: "Every operator and delegate is one that ExecuTorch defines",
    [SEGMENTS]: "Every segment is within the file",
    [TEXT]: "No text contains code, paths or credentials",
  },
  matches: ({ name, source }) => isExecuTorch(source) || /\.pte$/i.test(name),
  inspect({ source }, context, checks) {
    if (!isExecuTorch(source)) {
      return checks.add(STRUCTURE, {
        severity: source.size === 0 ? "info" : "warning",
        message: "The file does not have the identifier of ExecuTorch",
        ruleCode: "S903",
        incomplete: "not_executorch",
      });
    }
    new ProgramWalk(source, checks).run(context);
  },
});

/** `ET`, then the version of the schema in two digits. */
function isExecuTorch(source: ByteSource): boolean {
  return /^ET\d\d$/.test(flatbufferIdentifier(source));
}

/** Numbers of fields in the schema that are read. */
const Program = { version: 0, plans: 1, delegateData: 3, segments: 4 } as const;
const Plan = { name: 0, chains: 5, operators: 6, delegates: 7 } as const;
const Chain = { instructions: 2 } as const;
const Delegate = { id: 0, processed: 1 } as const;
const DataReference = { location: 0, index: 1 } as const;

const MAX_NAME_BYTES = 1024;
/** Delegates whose data is scanned. */
const MAX_DELEGATES = 1000;

const KNOWN_OPERATOR =
  /^(?:aten|prim|executorch_prim|quantized_decomposed|quantized|et_vk|dim_order_ops|_clone_dim_order|llama|torchao|cadence|cortex_m|tosa|bolt|backend)::/;
const KNOWN_DELEGATE =
  /^(?:XnnpackBackend|CoreMLBackend|MPSBackend|VulkanBackend|QnnBackend|ArmBackend|EthosUBackend|VgfBackend|NeuropilotBackend|OpenvinoBackend|NXPBackend|EnnBackend|NeutronBackend|MediaTekBackend|MLXBackend|CudaBackend|AotiBackend|MetalBackend|BackendWithCompilerDemo|ExecutorBackend)$/;

class ProgramWalk {
  readonly #source: ByteSource;
  readonly #checks: Checklist;
  readonly #reader: FlatbufferReader;
  #instructions = 0;
  #delegates = 0;

  constructor(source: ByteSource, checks: Checklist) {
    this.#source = source;
    this.#checks = checks;
    this.#reader = new FlatbufferReader(source);
  }

  run(context: ScanContext): void {
    const program = this.#reader.root();
    const segments = this.#segments(program);
    const inline = [...this.#reader.tables(program, Program.delegateData)].map((table) =>
      this.#reader.vector(table, 0, 1)
    );
    for (const plan of this.#reader.tables(program, Program.plans)) {
      this.#checkOperators(plan);
      for (const chain of this.#reader.tables(plan, Plan.chains)) {
        this.#instructions += this.#reader.vector(chain, Chain.instructions, 4).count;
      }
      for (const delegate of this.#reader.tables(plan, Plan.delegates)) {
        const data = this.#checkDelegate(delegate, inline, segments);
        if (data === undefined || this.#delegates++ >= MAX_DELEGATES) continue;
        context.scanMember(`delegate ${this.#delegates}`, data);
      }
    }
    context.addMetadata(modelMetadata({
      framework: "executorch",
      version: String(this.#reader.int32(program, Program.version)),
      indicator: `${flatbufferIdentifier(this.#source)} identifier`,
      context: { layer_count_estimate: this.#instructions },
      facts: { delegate_count: this.#delegates },
    }));
  }

  #checkOperators(plan: FlatTable): void {
    const method = this.#reader.text(plan, Plan.name, MAX_NAME_BYTES);
    checkModelText(TEXT, "The name of a method", method, this.#checks, plan.position);
    for (const operator of this.#reader.tables(plan, Plan.operators)) {
      const name = this.#reader.text(operator, 0, MAX_NAME_BYTES);
      if (KNOWN_OPERATOR.test(name)) continue;
      this.#checks.add(OPERATORS, {
        severity: "info",
        message: `Custom operator ${quotedExcerpt(name)} needs code that is not in the program`,
        position: operator.position,
        ruleCode: "S810",
      });
    }
  }

  /** Checks a delegate. @returns its data, which only its backend can read. */
  #checkDelegate(
    delegate: FlatTable,
    inline: readonly Extent[],
    segments: readonly Extent[],
  ): ByteSource | undefined {
    const id = this.#reader.text(delegate, Delegate.id, MAX_NAME_BYTES);
    if (!KNOWN_DELEGATE.test(id)) {
      this.#checks.add(OPERATORS, {
        severity: "info",
        message: `Delegate ${quotedExcerpt(id)} is not one that ExecuTorch defines`,
        position: delegate.position,
        ruleCode: "S810",
        details: { delegate: excerpt(id) },
      });
    }
    const reference = this.#reader.table(delegate, Delegate.processed);
    if (reference === undefined) return undefined;
    const isSegment = this.#reader.int8(reference, DataReference.location) === 1;
    const index = this.#reader.int32(reference, DataReference.index) >>> 0;
    const data = (isSegment ? segments : inline)[index];
    if (data !== undefined) return sourceSlice(this.#source, data.start, data.count);
    this.#outside(`Delegate ${quotedExcerpt(id)} refers to missing data ${index}`, delegate);
    return undefined;
  }

  /** Checks that the segments are within the file, and returns them. */
  #segments(program: FlatTable): readonly Extent[] {
    const { programSize, base } = extendedHeader(this.#source);
    if (programSize > this.#source.size) {
      this.#outside(`The program has ${programSize} bytes; the file is shorter`, program);
    }
    const segments: Extent[] = [];
    for (const segment of this.#reader.tables(program, Program.segments)) {
      const start = base + this.#reader.uint64(segment, 0);
      const count = this.#reader.uint64(segment, 1);
      if (start + count > this.#source.size) {
        this.#outside(`A segment of ${count} bytes at ${start} is outside the file`, segment);
        segments.push({ start: 0, count: 0 });
      } else segments.push({ start, count });
    }
    return segments;
  }

  #outside(message: string, { position }: FlatTable): void {
    this.#checks.add(SEGMENTS, { severity: "warning", message, position, ruleCode: "S804" });
  }
}

interface Extent {
  readonly start: number;
  readonly count: number;
}

/** The header after the identifier: the size of the program, and where its segments start. */
function extendedHeader(source: ByteSource): { programSize: number; base: number } {
  const head = source.read(8, 24);
  if (head.length < 24 || decodeLatin1(head.subarray(0, 4)) !== "eh00") {
    return { programSize: 0, base: 0 };
  }
  const view = viewOf(head);
  return {
    programSize: readSafeUint64(view, 8) ?? Infinity,
    base: readSafeUint64(view, 16) ?? Infinity,
  };
}
