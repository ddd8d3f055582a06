/** A copyright notice (SR 2.12). */
export interface CopyrightNotice {
  readonly holder: string;
  readonly year: string | null;
  readonly text: string;
}

/** Notices returned for a text. */
const MAX_NOTICES = 50;

const NOTICE =
  /^[ \t#*/;'"<!-]{0,20}(?:copyright|\(c\)|©)(?:[ \t]{1,4}(?:copyright|\(c\)|©))?:?[ \t]{0,4}((?:\d{4}(?:[ \t]{0,2}[-–,][ \t]{0,2}(?:\d{4}|present))*)?)[,:]?[ \t]{0,4}(?:by[ \t]+)?([^\r\n]{2,200})$/gimu;

/** Words that follow "copyright" in license texts, and placeholders of license templates. */
const NOT_A_HOLDER =
  /^(?:notices?|holders?|owners?|licen[sc]es?|laws?|and|or|statements?|interests?|rights?|in|as|to|is|are|by|the above|information|treaty|treaties)\b|[[<{]\s*(?:name|your|year|yyyy|fullname|copyright)/i;

/** Returns the copyright notices in a text, which each begin a line. */
export function copyrightNotices(text: string): CopyrightNotice[] {
  const notices = new Map<string, CopyrightNotice>();
  for (const match of text.matchAll(NOTICE)) {
    const [line, year = "", rest = ""] = match;
    const holder = rest.replace(/[.,;]?\s*all rights reserved.*$/i, "").replace(
      /[\s.,;*/>-]+$/,
      "",
    );
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
