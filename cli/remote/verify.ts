import { printable } from "../../schemas/printable.ts";
import { SignatureEntry, type SignatureOutcome } from "../../schemas/signatures.ts";
import { print } from "../print.ts";
import { Connection } from "./connection.ts";
import { onlyPath, verbArguments, versionOption } from "./verb.ts";

/**
 * `strongroom verify`: prints whose signature a file or directory of a server has (C 29). Exit code 0: all of it is
 * as it was signed; 1: it is not; main.ts maps failures to 2.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, { at: { type: "string" } });
  const path = onlyPath("verify", positionals);
  const at = versionOption("--at", values.at);
  const connection = await Connection.open(values);
  const query = { path, ...at !== undefined && { at } };
  const entry = await connection.json(SignatureEntry, "GET", "/resources/signature", { query });
  print(values.json ? JSON.stringify(entry) : entryText(entry));
  return entry.signature.state === "signed" ? 0 : 1;
}

/** A signature in a line: `signed by release (release@example.com)`, `invalid: …` or `unsigned`. */
export function signatureText(signature: SignatureOutcome): string {
  const { state, signer, identity, reason } = signature;
  if (state === "unsigned") return state;
  if (state === "invalid") return printable(`invalid: ${reason ?? ""}`);
  return printable(`signed by ${signer ?? ""}${identity === undefined ? "" : ` (${identity})`}`);
}

function entryText(entry: SignatureEntry): string {
  const { path, is_dir: isDirectory, signature, problems, left_out: leftOut } = entry;
  const head = `${printable(path)}${isDirectory ? "/" : ""}: ${signatureText(signature)}`;
  const others = leftOut > 0 ? `; the signer has left out ${leftOut} of its files` : "";
  const lines = problems.map((it) => `  ${it.problem.padEnd(9)}${printable(it.path)}`);
  return [`${head}${others}`, ...lines].join("\n");
}
