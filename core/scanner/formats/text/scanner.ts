import { Checklist } from "../../contract/checklist.ts";
import { copyrightNotices } from "../../knowledge/licenses/copyright.ts";
import { licenseFindings, noteLicenses } from "../../knowledge/licenses/note.ts";
import { licensesOfId, recogniseLicenses } from "../../knowledge/licenses/recognize.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { findSecrets, secretByName } from "../../knowledge/secrets/find_secrets.ts";
import { secretFinding } from "../../knowledge/secrets/secret_finding.ts";
import type { ByteSource } from "../../contract/source.ts";
import { licensesOfFrontMatter } from "./front_matter.ts";
import { decodeLatin1, utf8FromLatin1 } from "../../readers/bytes/bytes.ts";
import { scriptDangers } from "../../knowledge/script_dangers.ts";
import { detectScript, type Script } from "./script.ts";
import { looksLikeText, utf8Source } from "../../readers/bytes/utf8_source.ts";
import { type TextWindow, textWindows } from "../../readers/bytes/text_windows.ts";
import { MIB } from "../../../../schemas/units.ts";

const CHECKS = {
  "Text Content": "The file holds text",
  "Script": "It is no script",
  "Script Content": "Nothing is fetched, decoded or connected and run",
  "Credential": "No credential is in it",
  "License": "No licence with far-reaching duties was recognised",
} as const;

/** How much is read to know what a text is, and to recognise licences in it, in bytes. */
const HEAD = 4096;
const LICENSE_BYTES = 256 * 1024;

/** How much of a text is looked through. */
const TEXT_BYTES = 256 * MIB;

const NAMES =
  /^(?:licen[sc]e|copying|notice|copyright|legal|readme|authors|use_policy|unlicense)(?:[._-]|$)/i;

/** Extensions of files that are named like texts and are none. */
const NO_TEXTS =
  /\.(?:json|ya?ml|toml|xml|html?|gz|bz2|xz|zst|zip|7z|tar|pdf|png|jpe?g|docx?|so)$/i;

const EXTENSIONS = /\.(?:md|markdown|txt|rst)$/i;

/** The scanner of texts: model cards, licences, and scripts that lie beside a model. */
export const textScanner: Scanner = {
  id: "text",
  matches({ name, source }) {
    if (isTextByName(name)) return true;
    const head = headOf(source);
    return detectScript(name, head) !== undefined && looksLikeText(source.read(0, HEAD));
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
    for (const window of textWindows(source, TEXT_BYTES)) yield* this.#window(window, start);
    yield* this.#licenses(utf8FromLatin1(decodeLatin1(source.read(0, LICENSE_BYTES))), context);
    yield* this.#checks.finish();
  }

  *#readable(incomplete: string | undefined, size: number): Generator<Check, void, void> {
    if (isBinary(this.#content.source)) {
      const message = "The name is that of a text, and the content is none";
      yield* this.#checks.emit("Text Content", { severity: "warning", ruleCode: "S901", message });
    }
    const word = size > TEXT_BYTES ? "text_too_large" : incomplete;
    if (word === undefined) return;
    yield* this.#checks.emit("Text Content", {
      severity: "info",
      message: `The text was not read through to its end: ${word}`,
      incomplete: word,
      operational: word === "text_too_large",
    });
  }

  *#scriptFound(): Generator<Check, void, void> {
    if (this.#script === undefined) return;
    const { language, ruleCode, disguised } = this.#script;
    const severity = disguised ? "warning" : "info";
    const name = disguised ? ", which its name does not say" : "";
    const message = `This is a script for ${language}${name}`;
    yield* this.#checks.emit("Script", { severity, ruleCode, message });
  }

  *#window(
    { text, start, own }: TextWindow,
    offset: number | undefined,
  ): Generator<Check, void, void> {
    const place = (position: number) =>
      offset === undefined ? undefined : offset + start + position;
    for (const secret of findSecrets(text)) {
      if (secret.position >= own) continue;
      yield* this.#checks.emit("Credential", secretFinding(secret, place(secret.position)));
    }
    if (this.#script === undefined) return;
    for (const { position, ...danger } of scriptDangers(text)) {
      if (position >= own) continue;
      const where = place(position);
      yield* this.#checks.emit("Script Content", {
        severity: "warning",
        ...danger,
        ...where !== undefined && { position: where },
      });
    }
    yield* this.#assignments(text, own, place);
  }

  *#assignments(
    text: string,
    own: number,
    place: (position: number) => number | undefined,
  ): Generator<Check, void, void> {
    const assignments = text.matchAll(
      /(?<![\w-])([A-Za-z_]\w{2,60})["']?[ \t]{0,4}[:=][ \t]{0,4}["']([^"'\s]{6,200})["']/g,
    );
    for (const { 1: name = "", 2: value = "", index } of assignments) {
      if (index >= own || findSecrets(value).next().done === false) continue;
      const secret = secretByName(name, value);
      if (secret !== undefined) {
        yield* this.#checks.emit("Credential", secretFinding(secret, place(index)));
      }
    }
  }

  *#licenses(text: string, context: ScanContext): Generator<Check, void, void> {
    const declared = licensesOfFrontMatter(text).flatMap((id) => licensesOfId(id, "metadata"));
    const known = new Set(declared.map(({ license }) => license));
    const written = recogniseLicenses(text).filter(({ license }) => !known.has(license));
    const licenses = [...declared, ...written];
    noteLicenses(context, licenses, copyrightNotices(text));
    for (const finding of licenseFindings(licenses)) yield* this.#checks.emit("License", finding);
  }
}

function isTextByName(name: string): boolean {
  const base = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  return EXTENSIONS.test(base) || NAMES.test(base) && !NO_TEXTS.test(base) ||
    detectScript(base, "") !== undefined;
}

function headOf(source: ByteSource): string {
  return decodeLatin1(utf8Source(source).source.read(0, HEAD));
}

/** Whether the first bytes are no text: zero bytes that are not UTF-16, or those of a pickle. */
function isBinary(source: ByteSource): boolean {
  const { source: text, incomplete } = utf8Source(source);
  const head = text.read(0, HEAD);
  const [first = 0, second = 0] = head;
  return incomplete !== "utf_32" &&
    (head.includes(0) || first === 0x80 && second >= 2 && second <= 5);
}
