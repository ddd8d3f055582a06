/** What names of tensors show, for `ml_context` (SR 2.8). */
export interface NameFacts {
  readonly layer_count_estimate?: number;
  readonly detected_patterns?: readonly string[];
  readonly optimization_hints?: readonly string[];
}

/** Names that are looked at. Large models have tens of thousands, of which most are alike. */
const MAX_NAMES = 100_000;

/** The number of a layer, after the name of a list of layers. */
const LAYER =
  /(?:^|[._/])(?:layers?|h|blocks?|blk|encoder|decoder|resblocks|stages|transformer)[._/](\d{1,4})(?=[._/])/;

/** The tensor that each layer has once. */
const WEIGHT = /(?:^|[._/])weight$/;

/** Parts of networks, by the words in the names of their tensors. */
const PATTERNS: readonly (readonly [string, RegExp])[] = [
  ["attention", /(?:^|[._/])(?:self_)?attn?(?:ention)?(?:$|[._/0-9])|[qkv]_proj|attn_[qkvo]/i],
  ["embeddings", /embed|wte\b|token_embd/i],
  ["layer normalization", /(?:layer_?|rms_?)?norm\b|(?:^|[._/])ln_?\d?\b|layernorm/i],
  ["batch normalization", /running_(?:mean|var)|batch_?norm|moving_(?:mean|variance)/i],
  ["convolution", /(?:^|[._/])conv\d?/i],
  ["recurrence", /(?:weight|bias)_[ih]h_l\d|lstm|gru/i],
  ["feed forward", /(?:^|[._/])(?:mlp|ffn|feed_forward|fc\d?|dense|linear\d?)(?:$|[._/])|ffn_/i],
  ["mixture of experts", /experts?[._/]\d|router|ffn_gate_inp/i],
  ["output head", /lm_head|(?:^|[._/])(?:classifier|score|output)\.weight$/i],
];

/** Techniques that make a model smaller or faster, by the names of the tensors that they add. */
const HINTS: readonly (readonly [string, RegExp])[] = [
  ["low-rank adaptation", /lora_(?:A|B|up|down)|\.lora[._]/i],
  ["quantization", /qweight|qzeros|\.scales?$|weight_scale|quant_state|absmax|zero_points?$/i],
  ["pruning", /weight_mask|weight_orig/i],
  ["fused projections", /qkv_proj|c_attn|gate_up_proj|attn_qkv/i],
];

/** Collects what names of tensors show. */
export class TensorNames {
  readonly #patterns = new Set<string>();
  readonly #hints = new Set<string>();
  readonly #layers = new Set<string>();
  #weights = 0;
  #names = 0;

  add(name: string): void {
    if (this.#names++ >= MAX_NAMES) return;
    const start = name.slice(0, 200);
    for (const [pattern, words] of PATTERNS) {
      if (!this.#patterns.has(pattern) && words.test(start)) this.#patterns.add(pattern);
    }
    for (const [hint, words] of HINTS) {
      if (!this.#hints.has(hint) && words.test(start)) this.#hints.add(hint);
    }
    if (WEIGHT.test(start)) this.#weights++;
    const layer = LAYER.exec(start);
    if (layer !== null) this.#layers.add(start.slice(0, layer.index + layer[0].length));
  }

  /** @param types Types of elements, of which small ones are optimizations as well. */
  facts(types: Iterable<string>): NameFacts {
    const hints = new Set([...this.#hints, ...[...types].flatMap(hintsOfType)]);
    // Layers without numbers have names of their own, and a weight each.
    const layers = this.#layers.size || this.#weights;
    return {
      ...layers > 0 && { layer_count_estimate: layers },
      ...this.#patterns.size > 0 && { detected_patterns: [...this.#patterns].sort() },
      ...hints.size > 0 && { optimization_hints: [...hints].sort() },
    };
  }
}

/** What the type of elements shows, in the spelling of any format. */
export function hintsOfType(type: string): string[] {
  if (/^(?:BF16|F16|b?float16|half|bfloat16)$/i.test(type)) return ["half precision"];
  if (/^(?:F8|float8)/i.test(type)) return ["8-bit floating point"];
  return /^(?:I?Q\d|TQ\d|MXFP|NVFP|q?u?int[248]$|F4|I8$)/i.test(type) ? ["quantization"] : [];
}
