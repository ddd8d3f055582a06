import { Checklist } from "../../contract/checklist.ts";
import { excerpt } from "../../contract/excerpt.ts";
import type { Check, Content, Scanner } from "../../contract/scanner.ts";
import { textWindows } from "../../readers/bytes/text_windows.ts";
import { MIB } from "../../../../schemas/units.ts";

const OPERATORS = "TorchScript Operators";

const PASSED = { [OPERATORS]: "No operator reads or writes files" };

/** Members of a TorchScript archive with code: source, or the operators of a mobile model. */
const CODE = /^[^/]+\/(?:code\/.*\.py|bytecode\.pkl)$/;

const MAX_CODE_BYTES = 256 * MIB;

/** What may be written around the dots of a name. */
const SPACE = String.raw`\s{0,9}`;
const DOT = String.raw`${SPACE}\.${SPACE}`;

/** Words of operators that touch more than tensors, such as `image.read_file`. */
const WORD = "(?:read|write|load|save|file|open|exec|shell|system|download|dlopen)";

const FILE_OPERATORS = new RegExp(
  [
    String.raw`(?<![\w.])(?:torch|ops${DOT}aten)${DOT}(?:save|from_file|load)\b`,
    String.raw`\baten::(?:save|from_file|load)\b`,
    String.raw`(?<![\w.])ops${DOT}\w{1,64}${DOT}(?:\w{0,64}_)?${WORD}(?![a-zA-Z0-9])`,
    String.raw`\b\w{1,64}::(?:\w{0,64}_)?${WORD}(?![a-zA-Z0-9])`,
  ].join("|"),
  "g",
);

/** A namespace of operators under another name, by which its operators are not recognized. */
const ALIAS = new RegExp(
  String.raw`(?<![\w.])=${SPACE}(?:torch|ops(?:${DOT}\w{1,64})?)${SPACE}(?:[\n;,)]|$)`,
  "g",
);

/**
 * Checks the code in TorchScript archives, which runs without Python and can call every operator that is
 * registered (scanning 2.5).
 */
export const torchScriptScanner: Scanner = {
  id: "torchscript",
  matches: ({ name, depth }: Content) => depth > 0 && CODE.test(name),
  *scan({ source }: Content): Generator<Check, void, void> {
    const checks = new Checklist(PASSED);
    for (const { text, start, ownLength } of textWindows(source, MAX_CODE_BYTES)) {
      for (const { 0: operator, index } of text.matchAll(FILE_OPERATORS)) {
        if (index >= ownLength) break;
        yield* checks.emit(OPERATORS, {
          severity: "critical",
          ruleCode: "S510",
          message: `Calls ${excerpt(operator)}, which accesses files`,
          why: "TorchScript code runs when the model is loaded or used, with these operators",
          position: start + index,
        });
      }
      for (const { index } of text.matchAll(ALIAS)) {
        if (index >= ownLength) break;
        yield* checks.emit(OPERATORS, {
          severity: "warning",
          ruleCode: "S510",
          message: "Gives a namespace of operators another name, which PyTorch never does",
          position: start + index,
        });
      }
    }
    if (source.size > MAX_CODE_BYTES) {
      yield* checks.emit(OPERATORS, {
        severity: "info",
        message: `Only the first ${MAX_CODE_BYTES} bytes were searched`,
        incomplete: "text_too_large",
        operational: true,
      });
    }
    yield* checks.finish();
  },
};
