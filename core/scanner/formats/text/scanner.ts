import { Checklist } from "../../contract/checklist.ts";
import { fileNameOf } from "../../contract/names.ts";
import { copyrightNotices } from "../../knowledge/licenses/copyright.ts";
import { addLicenseMetadata, licenseFindings } from "../../knowledge/licenses/findings.ts";
import { licensesOfExpression, recognizeLicenses } from "../../knowledge/licenses/recognize.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { findAssignedSecrets, findSecrets } from "../../knowledge/secrets/find_secrets.ts";
import { secretFinding } from "../../knowledge/secrets/secret_finding.ts";
import type { ByteSource } from "../../contract/source.ts";
import { decodeLatin1, startsWithBytes } from "../../readers/bytes/bytes.ts";
import { utf8FromLatin1 } from "../../readers/bytes/latin1_text.ts";
import { scriptDangers } from "../../knowledge/script_dangers.ts";
import { CARD_NAME, cardFacts, readFrontMatter } from "./card.ts";
import { detectScript, type Script } from "./script.ts";
import { looksLikeText, utf8Source } from "../../readers/bytes/utf8_source.ts";
import { type TextWindow, textWindows } from "../../readers/bytes/text_windows.ts";
import { KIB, MIB } from "../../../../schemas/units.ts";

const CHECKS = {
  "Text Content": "The content is text",
  "Script": "The text is not a script",
  "Script Content":
    "The script starts no program, and runs nothing that it downloads, decodes or makes",
  "Credential": "No credentials found",
  "License": "No license that restricts the use or asks for source code was recognized",
} as const;

/** How much is read to recognize the kind of a text. */
const HEAD_BYTES = 4096;

/** How much of a text is searched for licenses and copyright notices. */
const MAX_LICENSE_BYTES = 256 * KIB;

/** How much of a text is searched for credentials and dangerous commands. */
const MAX_TEXT_BYTES = 256 * MIB;

const TEXT_NAMES =
  /^(?:licen[sc]e|copying|notice|copyright|legal|readme|authors|use_policy|unlicense)(?:[._-]|$)/i;

/** Files named like texts that are not texts. */
const OTHER_EXTENSIONS =
  /\.(?:json|ya?ml|toml|xml|html?|gz|bz2|xz|zst|zip|7z|tar|pdf|png|jpe?g|docx?|so)$/i;

const TEXT_EXTENSIONS =
  /\.(?:md|markdown|txt|rst|env|ini|cfg|conf|properties)$|^\.env(?:\.|$)|^\.netrc$/i;

/** What macOS keeps of a file besides its content, as `__MACOSX/._notes.txt` beside `notes.txt` in a ZIP. */
const APPLE_DOUBLE = [0, 5, 0x16, 7];

/** Scans texts: model cards, licenses, and scripts next to a model. */
export const textScanner: Scanner = {
  id: "text",
  matches({ name, source }) {
    if (isTextByName(name)) return !startsWithBytes(source.read(0, 4), APPLE_DOUBLE);
    const head = headOf(source);
    return detectScript(name, head) !== undefined && looksLikeText(source.read(0, HEAD_BYTES));
  },
  *scan(content, context) {
    yield* new TextScan(content).checks(context);
  },
};

class TextScan {
  readonly #content: Content;
  readonly #checks = new Checklist(CHECKS);
  readonly #script: Script | undefined;

  constructor(content: Content) {
    this.#content = content;
    this.#script = detectScript(content.name, headOf(content.source));
  }

  *checks(context: ScanContext): Generator<Check, void, void> {
    const { source, start, incomplete } = utf8Source(this.#content.source);
    yield* this.#readable(incomplete, source.size);
    yield* this.#scriptFound();
    for (const window of textWindows(source, MAX_TEXT_BYTES)) yield* this.#window(window, start);
    yield* this.#licenses(utf8FromLatin1(decodeLatin1(source.read(0, MAX_LICENSE_BYTES))), context);
    yield* this.#checks.finish();
  }

  *#readable(incomplete: string | undefined, size: number): Generator<Check, void, void> {
    if (isBinary(this.#content.source)) {
      const message = "Binary content under the name of a text file";
      yield* this.#checks.emit("Text Content", { severity: "warning", ruleCode: "S901", message });
    }
    const word = size > MAX_TEXT_BYTES ? "text_too_large" : incomplete;
    if (word === undefined) return;
    yield* this.#checks.emit("Text Content", {
      severity: "info",
      message: `The text was not read to its end: ${word}`,
      incomplete: word,
      operational: word === "text_too_large",
    });
  }

  *#scriptFound(): Generator<Check, void, void> {
    if (this.#script === undefined) return;
    const { language, ruleCode, disguised } = this.#script;
    const severity = disguised ? "warning" : "info";
    const message = disguised
      ? `Script for ${language} under the name of another kind of file`
      : `Script for ${language}`;
    yield* this.#checks.emit("Script", { severity, ruleCode, message });
  }

  /** @param offset The offset of the text in the content; undefined if it was transcoded. */
  *#window(window: TextWindow, offset: number | undefined): Generator<Check, void, void> {
    const positionOf = (index: number) =>
      offset === undefined ? undefined : offset + window.start + index;
    for (const secret of findSecrets(window.text)) {
      if (secret.position >= window.ownLength) continue;
      yield* this.#checks.emit("Credential", secretFinding(secret, positionOf(secret.position)));
    }
    for (const secret of findAssignedSecrets(window.text)) {
      if (secret.position >= window.ownLength) continue;
      yield* this.#checks.emit("Credential", secretFinding(secret, positionOf(secret.position)));
    }
    if (this.#script === undefined) return;
    for (
      const { position: index, ...danger } of scriptDangers(window.text, this.#script.language)
    ) {
      if (index >= window.ownLength) continue;
      const position = positionOf(index);
      yield* this.#checks.emit("Script Content", {
        severity: "warning",
        ...danger,
        ...position !== undefined && { position },
      });
    }
  }

  *#licenses(text: string, context: ScanContext): Generator<Check, void, void> {
    const { licenses: ids, facts } = readFrontMatter(text);
    if (CARD_NAME.test(fileNameOf(this.#content.name))) context.addFacts(cardFacts(facts, text));
    const declared = ids.flatMap((id) => licensesOfExpression(id, "metadata"));
    const known = new Set(declared.map(({ license }) => license));
    const written = recognizeLicenses(text).filter(({ license }) => !known.has(license));
    const licenses = [...declared, ...written];
    addLicenseMetadata(context, licenses, copyrightNotices(text), text);
    for (const finding of licenseFindings(licenses)) yield* this.#checks.emit("License", finding);
  }
}

function isTextByName(name: string): boolean {
  const base = fileNameOf(name);
  return TEXT_EXTENSIONS.test(base) || TEXT_NAMES.test(base) && !OTHER_EXTENSIONS.test(base) ||
    detectScript(base, "") !== undefined;
}

function headOf(source: ByteSource): string {
  return decodeLatin1(utf8Source(source).source.read(0, HEAD_BYTES));
}

/** Whether the first bytes cannot be text: a zero byte that is not UTF-16, or the start of a pickle. */
function isBinary(source: ByteSource): boolean {
  const { source: text, incomplete } = utf8Source(source);
  const head = text.read(0, HEAD_BYTES);
  const [first = 0, second = 0] = head;
  return incomplete !== "utf_32" &&
    (head.includes(0) || first === 0x80 && second >= 2 && second <= 5);
}
