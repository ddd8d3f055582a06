import { Ajv, type ValidateFunction } from "ajv";
import { isObject } from "../../schemas/json.ts";

const DIRECTORY = new URL("../fixtures/schemas/", import.meta.url);

/** Formats of texts that the schemas use. */
const FORMATS = {
  "date-time": (text: string) => !Number.isNaN(Date.parse(text)),
  uri: (text: string) => /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]*$/.test(text),
  "uri-reference": /^[^\s<>"{}|\\^`]*$/,
  "iri-reference": /^[^\s<>"{}|\\^`]*$/,
  "idn-email": /@/,
};

async function schema(name: string): Promise<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(await Deno.readTextFile(new URL(name, DIRECTORY)));
  if (!isObject(parsed)) throw new Error(`${name} is not an object`);
  // The schema of SARIF is of draft 4, which names itself by another key. It uses nothing else of it.
  const { $schema: _, id, ...rest } = parsed;
  return { ...rest, ...(id !== undefined && { $id: id }) };
}

/** The faults of a document by a schema of `tests/fixtures/schemas`, at most ten. */
export async function schemaFaults(
  document: unknown,
  main: string,
  ...others: string[]
): Promise<string[]> {
  const ajv = new Ajv({ strict: false, unicodeRegExp: false, formats: FORMATS });
  for (const other of others) ajv.addSchema(await schema(other), other);
  const validate: ValidateFunction = ajv.compile({ ...await schema(main), $id: main });
  validate(JSON.parse(JSON.stringify(document)));
  return (validate.errors ?? []).slice(0, 10).map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`
  );
}

export const sarifFaults = (document: unknown) => schemaFaults(document, "sarif-2.1.0-rtm.5.json");

export const cycloneDxFaults = (document: unknown) =>
  schemaFaults(
    document,
    "bom-1.6.SNAPSHOT.schema.json",
    "spdx.SNAPSHOT.schema.json",
    "jsf-0.82.SNAPSHOT.schema.json",
  );
