import type { PartContent, PartPlace } from "../../../core/uploads.ts";
import { orMissing } from "../../disk/files.ts";
import { Assembly } from "./assembly.ts";
import type { PartWriter } from "./part_writer.ts";

/** How many uploads in parts are put together while they come. */
const MAX_ASSEMBLIES = 32;

export interface AssembliesOptions {
  readonly pathOf: (id: string) => string;
  /** Creates the file of a part. */
  readonly createFile: (id: string) => void;
  /** Opens the file of a part at a position. */
  readonly openAt: (id: string, position: number) => Promise<PartWriter>;
}

/** The uploads in parts that are put together while they come. Each part is a name of the file of its upload. */
export class Assemblies {
  readonly #options: AssembliesOptions;
  /** By the ids of the uploads, the newest one at the end. */
  readonly #all = new Map<string, Assembly>();
  /** By the ids of their parts. */
  readonly #placed = new Map<string, Assembly>();
  /** The uploads that others have taken the place of, as long as they have parts that were put together. */
  readonly #displaced = new Set<string>();

  constructor(options: AssembliesOptions) {
    this.#options = options;
  }

  /** That of a part, unless it has a file of its own. */
  of(id: string): Assembly | undefined {
    return this.#placed.get(id);
  }

  /** Creates a part in the file of its upload. Returns whether there is a place for it. */
  async create(id: string, place: PartPlace): Promise<boolean> {
    const { pathOf, createFile, openAt } = this.#options;
    const known = this.#all.get(place.whole);
    if (known === undefined && (this.#displaced.has(place.whole) || !Assembly.canBegin(place))) {
      return false;
    }
    const assembly: Assembly = known ??
      new Assembly(place, () => openAt(assembly.part ?? id, 0));
    const other = assembly.part;
    if (!assembly.take(id, place)) return false;
    this.#placed.set(id, assembly);
    try {
      if (other !== undefined) {
        const linked = Deno.link(pathOf(other), pathOf(id)).then(() => true);
        if (await orMissing(linked)) return true;
        // The other part has just been given up.
        await this.leave(id);
        return false;
      }
      createFile(id);
    } catch (error) {
      await this.leave(id);
      throw error;
    }
    this.#all.set(place.whole, assembly);
    const [[oldest] = []] = this.#all;
    if (this.#all.size > MAX_ASSEMBLIES && oldest !== undefined) {
      this.#displaced.add(oldest);
      await this.#forget(oldest);
    }
    return true;
  }

  /** A part is gone. */
  async leave(id: string): Promise<void> {
    const assembly = this.#placed.get(id);
    this.#placed.delete(id);
    assembly?.leave(id);
    if (assembly === undefined || assembly.part !== undefined) return;
    const { whole } = assembly;
    this.#displaced.delete(whole);
    if (this.#all.get(whole) === assembly) await this.#forget(whole);
  }

  /** The size of the file that is nothing but these parts, in their order; undefined if there is none. */
  async sizeOf(parts: readonly PartContent[]): Promise<number | undefined> {
    const [first] = parts;
    if (first !== undefined && this.of(first.id)?.seal() === false) return undefined;
    const files = new Set<number | null>();
    let [end, fileSize] = [0, 0];
    for (const { id, position = 0, size } of parts) {
      if (position !== end) return undefined;
      const file = await Deno.stat(this.#options.pathOf(id));
      if (files.add(file.ino).size > 1) return undefined;
      end += size;
      fileSize = file.size;
    }
    return fileSize === end ? end : undefined;
  }

  /** What has hashed the file of a part, as far as it was there. Close it. */
  async takeHashing(id: string): Promise<PartWriter> {
    return await this.of(id)?.takeHashing() ?? await this.#options.openAt(id, 0);
  }

  async close(): Promise<void> {
    for (const whole of this.#all.keys()) await this.#forget(whole);
  }

  async #forget(whole: string): Promise<void> {
    const assembly = this.#all.get(whole);
    this.#all.delete(whole);
    await assembly?.close();
  }
}
