const MOST_RECORDS = 1000;

/** The records of an extended header (POSIX pax): `length key=value\n`, the last of a key counts. */
export function paxRecords(data: Uint8Array): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  const decoder = new TextDecoder();
  let index = 0;
  for (let count = 0; count < MOST_RECORDS && index < data.length; count++) {
    const digits = /^(\d{1,7}) /.exec(decoder.decode(data.subarray(index, index + 8)))?.[1];
    const length = Number(digits);
    if (digits === undefined || length <= digits.length + 1) break;
    const record = decoder.decode(data.subarray(index + digits.length + 1, index + length - 1));
    const equals = record.indexOf("=");
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    index += length;
  }
  return records;
}
