/** The prefix that the handle `!!` stands for. */
const CORE_PREFIX = "tag:yaml.org,2002:";

/** Handles that one document may declare. Further ones are ignored. */
const MAX_HANDLES = 100;

/** The tag handles of a YAML document, which shorten the tags in it (YAML 1.2, 6.8.2). */
export class YamlTags {
  #handles = defaultHandles();

  /** Reads a directive line, such as `%TAG !e! tag:example.org,2026:`. */
  directive(line: string): void {
    const [name, handle, prefix] = line.trim().split(/\s+/, 4);
    if (name !== "%TAG" || handle === undefined || prefix === undefined) return;
    if (this.#handles.size < MAX_HANDLES) this.#handles.set(handle, prefix);
  }

  /** Forgets the handles of a document at its end. */
  reset(): void {
    this.#handles = defaultHandles();
  }

  /** The whole tag that a written tag stands for, percent-decoded as parsers do. */
  resolve(written: string): string {
    if (written.startsWith("!<")) return percentDecoded(written.slice(2).replace(/>$/, ""));
    const end = written.indexOf("!", 1) + 1;
    const handle = end > 0 ? written.slice(0, end) : "!";
    const prefix = this.#handles.get(handle) ?? handle;
    return percentDecoded(prefix + written.slice(handle.length));
  }
}

function defaultHandles(): Map<string, string> {
  return new Map([["!", "!"], ["!!", CORE_PREFIX]]);
}

function percentDecoded(tag: string): string {
  return tag.replace(
    /%([0-9A-Fa-f]{2})/g,
    (_, hex: string) => String.fromCharCode(parseInt(hex, 16)),
  );
}
