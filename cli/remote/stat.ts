import { printable } from "../../schemas/printable.ts";
import { formatBytes, KIB } from "../../schemas/units.ts";
import { StatEntry } from "../../schemas/verdicts.ts";
import { print } from "../print.ts";
import { Connection } from "./connection.ts";
import { onlyPath, verbArguments } from "./verb.ts";
import { signatureText } from "./verify.ts";

/** `strongroom stat`: prints an entry of a server with its checksums and its verdict (C 25). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {});
  const path = onlyPath("stat", positionals);
  const connection = await Connection.open(values);
  const entry = await connection.json(StatEntry, "GET", "/resources/stat", { query: { path } });
  print(values.json ? JSON.stringify(entry) : statText(entry));
  return 0;
}

function statText(entry: StatEntry): string {
  const { path, is_dir: isDirectory, size, verdict, md5, sha256, crc32 } = entry;
  const facts: readonly (readonly [string, string | null])[] = [
    ["Path", `${printable(path)}${isDirectory ? "/" : ""}`],
    ["Size", isDirectory ? null : sizeText(size)],
    ["Created", entry.created_at],
    ["Updated", entry.updated_at],
    ["Owner", String(entry.user_id)],
    ["Id", String(entry.id)],
    ["SHA-256", sha256],
    ["MD5", md5],
    ["CRC-32", crc32],
    ["Verdict", verdict === null ? null : verdict.verdict],
    ...(verdict?.findings ?? []).map(({ rule_code: code, severity, message }) =>
      ["", printable(`${severity} ${code ?? ""}: ${message}`)] as const
    ),
    ["Waiver", verdict?.waiver ? printable(verdict.waiver.reason) : null],
    ["Signature", verdict?.signature ? signatureText(verdict.signature) : null],
  ];
  return facts.filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(11)}${value}`).join("\n");
}

function sizeText(size: number): string {
  const exact = `${size.toLocaleString("en")} bytes`;
  return size < KIB ? formatBytes(size) : `${formatBytes(size)} (${exact})`;
}
