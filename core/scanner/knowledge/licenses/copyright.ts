import { trimEnd } from "../../readers/text/trim_end.ts";

/** A copyright notice (SR 2.12). */
export interface CopyrightNotice {
  readonly holder: string;
  readonly year: string | null;
  readonly text: string;
}

/** Notices returned for a text. */
const MAX_NOTICES = 50;

/** A line that begins like a notice. */
const LINE = /^[ \t#*/;'"<!-]{0,20}(?:copyright|\(c\)|©)[^\r\n]*/gimu;
/** A longer line is not read, because a search for its parts may take quadratic time. */
const MAX_LINE_CHARACTERS = 500;
const NOTICE =
  /^[ \t#*/;'"<!-]{0,20}(?:copyright|\(c\)|©)(?:[ \t]{1,4}(?:copyright|\(c\)|©))?:?[ \t]{0,4}((?:\d{4}(?:[ \t]{0,2}[-–,][ \t]{0,2}(?:\d{4}|present))*)?)[,:]?[ \t]{0,4}(?:by[ \t]+)?([^\r\n]{2,200})$/imu;

/** Words that follow "copyright" in license texts, and placeholders of license templates. */
const NOT_A_HOLDER =
  /^(?:notices?|holders?|owners?|licen[sc]es?|laws?|and|or|statements?|interests?|rights?|in|as|to|is|are|by|the above|information|treaty|treaties)\b|[[<{]\s{0,200}(?:name|your|year|yyyy|fullname|copyright)/i;

/** Returns the copyright notices in a text, which each begin a line. */
export function copyrightNotices(text: string): CopyrightNotice[] {
  const notices = new Map<string, CopyrightNotice>();
  for (const [whole] of text.matchAll(LINE)) {
    const [line, year, rest] = whole.length > MAX_LINE_CHARACTERS ? [] : NOTICE.exec(whole) ?? [];
    if (line === undefined || year === undefined || rest === undefined) continue;
    const holder = trimEnd(rest.replace(/all rights reserved[^]*/i, ""), /[\s.,;*/>-]/);
    const hasMark = year !== "" || /\(c\)|©/i.test(line);
    if (!hasMark || holder.length < 2 || NOT_A_HOLDER.test(holder)) continue;
    const shown = holder.slice(0, 100);
    const notice = {
      holder: shown,
      year: year === "" ? null : year,
      text: line.trim().slice(0, 100),
    };
    notices.set(`${notice.year} ${shown}`, notice);
    if (notices.size >= MAX_NOTICES) break;
  }
  return [...notices.values()];
}
