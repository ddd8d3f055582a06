import type { Checklist } from "../../contract/checklist.ts";
import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Content, ScanContext } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { readZipDirectories, readZipStructure } from "../zip/directory.ts";
import { decodedName } from "../zip/headers.ts";
import { openZipMember } from "../zip/open_member.ts";

const PROGRAM = "Llamafile Program";
const ARGUMENTS = "Llamafile Arguments";

/** Entries searched for a model. */
const MAX_ENTRIES = 1000;

/**
 * Recognizes llamafiles: programs with a model in a ZIP archive at their end. The scanners of
 * executables and ZIP archives read them, too.
 */
export const llamafileScanner = modelScanner({
  id: "llamafile",
  structure: PROGRAM,
  passed: { [ARGUMENTS]: "No argument in the file names a file elsewhere" },
  matches: isLlamafile,
  inspect({ source }, context, checks) {
    const models = modelsIn(source);
    checks.add(PROGRAM, {
      severity: "critical",
      message: `The file is a program with ${models.length} model(s): running it runs all its code`,
      position: 0,
      ruleCode: "S501",
      why: "Nothing distinguishes a llamafile from any other program; only its author can",
    });
    checkArguments(source, checks, context);
    context.addMetadata(modelMetadata({
      framework: "llamafile",
      indicator: "program with a GGUF member",
      facts: { models: models.slice(0, 100) },
    }));
  },
});

/** An Actually Portable Executable, or one that was made an ELF or Mach-O file, with a model. */
function isLlamafile({ source, name }: Content): boolean {
  const head = decodeLatin1(source.read(0, 8));
  const isProgram = /^(?:MZqFpD='|jartsr='|APEDBG=')/.test(head) || head.startsWith("\x7fELF");
  return isProgram && (/\.llamafile(?:\.exe)?$/i.test(name) || modelsIn(source).length > 0);
}

function modelsIn(source: ByteSource): string[] {
  const { directories } = readZipDirectories(source, MAX_ENTRIES);
  return directories.flatMap(({ entries }) => entries.map((entry) => decodedName(entry)))
    .filter((name) => /\.gguf$/i.test(name));
}

/** The member with the arguments that the program starts with, one a line. */
const ARGUMENTS_MEMBER = /^\.args$/;
const MAX_ARGUMENT_BYTES = 64 * 1024;
/** Options with the path of a file to read or write. */
const FILE_OPTION =
  /^(?:-m|--model|--mmproj|--lora|--lora-base|--control-vector|-f|--file|--grammar-file|--prompt-cache|--slot-save-path|--log-file|--path|--rpc-file)$/;
/** Where the program sees its own archive. */
const OWN_ARCHIVE = "/zip/";

function checkArguments(source: ByteSource, checks: Checklist, context: ScanContext): void {
  const { members } = readZipStructure(source, MAX_ENTRIES);
  for (const member of members.filter(({ name }) => ARGUMENTS_MEMBER.test(name))) {
    const bytes = openZipMember(source, member, context).source.read(0, MAX_ARGUMENT_BYTES);
    const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
    for (const [index, path] of lines.entries()) {
      if (!FILE_OPTION.test(lines[index - 1] ?? "") || path.startsWith(OWN_ARCHIVE)) continue;
      const danger = pathEscape(path);
      if (danger === undefined) continue;
      checks.add(ARGUMENTS, {
        severity: "warning",
        message: `The program starts with ${danger}: ${quotedExcerpt(path)}`,
        position: member.start,
        ruleCode: "S405",
      });
    }
  }
}
