/** Where a handle of a tag directive leads. */
const CORE = "tag:yaml.org,2002:";

/** Tag directives of one document; more of them are not kept. */
const HANDLES = 100;

/** The handles of a YAML document, by which tags are written shorter (6.8 of YAML 1.2). */
export class YamlTags {
  #handles = new Map([["!", "!"], ["!!", CORE]]);

  /** A directive, such as `%TAG !e! tag:example.org,2026:`. */
  directive(line: string): void {
    const [name, handle, prefix] = line.trim().split(/\s+/, 4);
    if (name !== "%TAG" || handle === undefined || prefix === undefined) return;
    if (this.#handles.size < HANDLES) this.#handles.set(handle, prefix);
  }

  /** A document ends, and its handles with it. */
  reset(): void {
    this.#handles = new Map([["!", "!"], ["!!", CORE]]);
  }

  /** The tag in full, with what was percent-encoded in it decoded, as parsers do. */
  resolve(written: string): string {
    if (written.startsWith("!<")) return decoded(written.slice(2).replace(/>$/, ""));
    const end = written.indexOf("!", 1) + 1;
    const handle = end > 0 ? written.slice(0, end) : "!";
    const prefix = this.#handles.get(handle) ?? handle;
    return decoded(prefix + written.slice(handle.length));
  }
}

function decoded(tag: string): string {
  return tag.replace(
    /%([0-9A-Fa-f]{2})/g,
    (_, hex: string) => String.fromCharCode(parseInt(hex, 16)),
  );
}
