import { utf8FromLatin1 } from "../bytes/latin1_text.ts";
import { CODES, type YamlCursor } from "./cursor.ts";

/** The prefix that the handle `!!` stands for. */
const CORE_PREFIX = "tag:yaml.org,2002:";

/** Handles that one document may declare. Further ones are not known. */
const MAX_HANDLES = 1000;

/** How much of a tag is kept. The beginning says what it does. */
const MAX_TAG_BYTES = 4096;

const HANDLE = /!(?:[\w-]*!)?/y;
const URI = /[\w\-;/?:@&=+$,.!~*'()[\]%]*/y;
/** In libyaml, a tag ends before an indicator of flow collections, unless it is in angle brackets. */
const URI_WITHOUT_INDICATORS = /[\w\-;/?:@&=+$.!~*'()%]*/y;
const NOT_URI = /[^\w\-;/?:@&=+$,.!~*'()[\]%]|%(?![0-9A-Fa-f]{2})/;

const TAG_DIRECTIVE = /^%TAG[ \t]+(!(?:[\w-]*!)?)[ \t]+([^ \t]+)[ \t]*(?:$|#)/;
const YAML_DIRECTIVE = /^%YAML[ \t]+1\.\d+[ \t]*(?:$|#)/;
const OTHER_DIRECTIVE = /^%(?!(?:TAG|YAML)(?: |$))[\w-]+(?: |$)/;

/** A tag that was read. */
export interface WrittenTag {
  /** The whole tag: what its handle stands for, and the rest with its escapes decoded. */
  readonly tag: string;
  readonly fault?: string;
  /** Whether it is shorter in libyaml, for its end has indicators of flow collections. */
  readonly hasIndicators?: boolean;
}

/** The tags of a YAML document, and the handles that shorten them (YAML 1.2, 6.8.2). */
export class YamlTags {
  #handles = defaultHandles();
  readonly #declared = new Set<string>();

  /** Forgets the handles of a document. */
  reset(): void {
    if (this.#declared.size === 0) return;
    this.#declared.clear();
    this.#handles = defaultHandles();
  }

  /** Takes a directive, such as `%TAG !e! tag:example.org,2026:`. Returns whether it is well-formed. */
  directive(line: string): boolean {
    if (YAML_DIRECTIVE.test(line)) return this.#declare("%YAML");
    const [, handle, prefix] = TAG_DIRECTIVE.exec(line) ?? [];
    if (handle === undefined || prefix === undefined) return OTHER_DIRECTIVE.test(line);
    if (this.#declared.size >= MAX_HANDLES) return false;
    this.#handles.set(handle, decoded(prefix));
    return this.#declare(handle) && !isMalformedUri(prefix);
  }

  /** Returns whether the document did not declare the name before. */
  #declare(name: string): boolean {
    const { size } = this.#declared;
    return this.#declared.add(name).size > size;
  }

  /**
   * Reads a tag at its `!`.
   *
   * @param indicators Whether the tag may contain `,`, `[` and `]`.
   */
  read(cursor: YamlCursor, indicators: boolean): WrittenTag {
    const written = cursor.code(cursor.at + 1) === CODES.less
      ? readVerbatim(cursor)
      : this.#readShort(cursor, indicators);
    const isEnded = cursor.isBlankOrEnd(cursor.at) ||
      !indicators && cursor.code() === CODES.comma;
    return isEnded ? written : { fault: "A tag is malformed", ...written };
  }

  #readShort(cursor: YamlCursor, indicators: boolean): WrittenTag {
    const handle = takeMatch(cursor, HANDLE);
    const suffix = takeMatch(cursor, indicators ? URI : URI_WITHOUT_INDICATORS);
    if (suffix === "" && handle === "!") return { tag: handle };
    const tag = (this.#handles.get(handle) ?? handle) + decoded(suffix);
    const hasIndicators = /[,[\]]/.test(suffix);
    if (!this.#handles.has(handle)) {
      return { tag, hasIndicators, fault: "A tag has an undeclared handle" };
    }
    const isMalformed = suffix === "" || isMalformedUri(suffix);
    return { tag, hasIndicators, ...isMalformed && { fault: "A tag is malformed" } };
  }
}

function readVerbatim(cursor: YamlCursor): WrittenTag {
  cursor.at += "!<".length;
  const uri = takeMatch(cursor, URI);
  const isClosed = cursor.code() === CODES.greater;
  if (isClosed) cursor.at++;
  const isMalformed = !isClosed || uri === "" || isMalformedUri(uri);
  return { tag: decoded(uri), ...isMalformed && { fault: "A tag is malformed" } };
}

/** Moves past what a sticky pattern matches here. Returns the beginning of it. */
function takeMatch(cursor: YamlCursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at;
  pattern.test(cursor.text);
  const [begin, end] = [cursor.at, Math.max(pattern.lastIndex, cursor.at)];
  cursor.at = end;
  return cursor.text.slice(begin, Math.min(end, begin + MAX_TAG_BYTES));
}

function defaultHandles(): Map<string, string> {
  return new Map([["!", "!"], ["!!", CORE_PREFIX]]);
}

function isMalformedUri(uri: string): boolean {
  return NOT_URI.test(uri) || decoded(uri).includes("\ufffd");
}

function decoded(uri: string): string {
  const bytes = uri.replace(
    /%([0-9A-Fa-f]{2})/g,
    (_, hex: string) => String.fromCharCode(parseInt(hex, 16)),
  );
  return utf8FromLatin1(bytes);
}
