/** Reads a file as a scan does and hashes it, and does nothing else: the reference of the benchmark. */

import { hashContent } from "../../core/scanner/engine/hash_content.ts";
import { FileSource } from "../../storage/sandbox/file_source.ts";

using file = await Deno.open(Deno.args[0] ?? "");
console.log(hashContent(new FileSource(file)));
