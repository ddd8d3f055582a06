import { Connection } from "../remote/connection.ts";
import { syncArguments } from "./arguments.ts";
import { transfer } from "./transfer.ts";

/** `strongroom sync`: makes a directory have what another one has (C 25). */
export async function run(args: string[]): Promise<number> {
  const given = syncArguments(args);
  const sources = new Map([["", given.source]]);
  return await transfer(await Connection.open(given), { ...given, sources, onConflict: "replace" });
}
