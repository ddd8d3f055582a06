/**
 * How scripts in languages other than Python, JavaScript and those of shells start a program, run text as code
 * or load machine code: by the name of the language. What is written for honest reasons in each, as `eval` of an
 * expression in R or of a block in Perl, is left out.
 */
export const STARTS_IN: ReadonlyMap<string, RegExp> = new Map([
  ["Lua", /\b(?:os\.execute|io\.popen|loadstring|package\.loadlib)\s{0,4}[("'[]/],
  [
    "Ruby",
    /(?<![\w.:@$-])(?:system|exec|spawn|syscall|eval|instance_eval|class_eval)(?:\s{0,4}\(|[ \t]{1,4}["'%])|\b(?:Kernel|Process)\.(?:system|exec|spawn)\b|\bIO\.popen\b|\bOpen3\.\w{1,20}|\bFiddle\.dlopen\b|%x[({[|!]|(?:^|=)[ \t]{0,8}`[^`\n]{1,200}`/m,
  ],
  [
    "PHP",
    /(?<![\w>$:\\])(?:system|exec|shell_exec|passthru|proc_open|popen|pcntl_exec|eval|create_function)\s{0,4}\(|=[ \t]{0,8}`[^`\n]{1,200}`|\bFFI::(?:cdef|load)\b/,
  ],
  [
    "R",
    /(?<![\w.$])(?:system2?|shell|shell\.exec|dyn\.load)\s{0,4}\(|\beval\s{0,4}\(\s{0,4}(?:parse|str2lang|str2expression)\b|\b(?:processx|sys)::\w{1,20}/,
  ],
  [
    "Perl",
    /(?<![\w.>$@%&:{-])(?:system|exec)\s{0,4}[("'$@]|(?<![\w.>$@%&:{-])eval\s{0,4}[("'$]|\bqx\s{0,4}[({[|\/!]|=[ \t]{0,8}`[^`\n]{1,200}`/,
  ],
  [
    "Julia",
    /(?<![\w.])(?:run|read|readchomp|success|pipeline)\s{0,4}\(\s{0,4}`|\bMeta\.parse\b|(?<![\w.])include_string\s{0,4}\(/,
  ],
  ["VBScript", /\bWScript\.Shell\b|\bShell\.Application\b|\bExecuteGlobal\b/i],
]);
