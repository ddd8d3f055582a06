import type { FileResult, TensorList } from "../../core/scanner/mod.ts";
import type { TensorReader, TensorReadOptions } from "../../core/compare/ports.ts";
import type {
  ArrivingFile,
  ArrivingScanner,
  ContentScanner,
  ScanContentOptions,
} from "../../core/scans/ports.ts";
import type { ContentFiles } from "../content/content_store.ts";
import { ScannerPool, type ScannerPoolOptions } from "./scanner_pool.ts";

/** Scans content in processes. */
export class ProcessScanner
  implements ContentScanner, ArrivingScanner, TensorReader, AsyncDisposable {
  readonly #blobs: ContentFiles;
  readonly #pool: ScannerPool;

  constructor(blobs: ContentFiles, options: ScannerPoolOptions) {
    this.#blobs = blobs;
    this.#pool = new ScannerPool(options);
  }

  async scan(
    { hash, name }: { readonly hash: string; readonly name: string },
    options: ScanContentOptions,
  ): Promise<FileResult> {
    await using file = await this.#blobs.fileOf(hash);
    return await this.#pool.scan({ path: file.path, name }, options);
  }

  scanArriving(file: ArrivingFile, options: ScanContentOptions): Promise<FileResult> {
    return this.#pool.scan(file, options);
  }

  async listTensors(
    { hash, name }: { readonly hash: string; readonly name: string },
    options: TensorReadOptions,
  ): Promise<TensorList> {
    await using file = await this.#blobs.fileOf(hash);
    return await this.#pool.listTensors({ path: file.path, name }, options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }
}
