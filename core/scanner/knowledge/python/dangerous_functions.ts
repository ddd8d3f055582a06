/** Names of functions and classes that run, load or reach for what they are given, in any module. */
export const DANGEROUS_FUNCTIONS: ReadonlySet<string> = new Set(
  `
  eval exec execfile __import__ import_module system popen Popen spawn check_output check_call
  getattr setattr delattr globals locals breakpoint run_module run_path runstring load_module
`.trim().split(/\s+/),
);
