/** Reads a file as a scan does and only hashes it: the reference for the scan benchmark. */

import { hashContent } from "../../core/scanner/engine/hash_content.ts";
import { FileSource } from "../../storage/scanners/sandbox/file_source.ts";

using file = await Deno.open(Deno.args[0] ?? "");
console.log(hashContent(new FileSource(file)));
