// Dunder attributes, without their underscores. Each list includes the one before it.

/** Lead from any object to its class and on to every loaded module, by words that few keys use. */
export const TELLING_DUNDERS: readonly string[] = [
  "builtins",
  "class",
  "getattribute",
  "globals",
  "mro",
  "subclasses",
];

/** Lead there as well, by words that keys use. */
export const CLASS_DUNDERS: readonly string[] = [...TELLING_DUNDERS, "base", "bases"];

/** Have no harmless use in code that a model brings along. */
export const CODE_DUNDERS: readonly string[] = [
  ...CLASS_DUNDERS,
  ..."code dict import loader reduce reduce_ex spec".split(" "),
];

/** Have no use in a template: its objects are data. */
export const OBJECT_DUNDERS: readonly string[] = [
  ...CODE_DUNDERS,
  ..."call closure context doc enter func getattr getitem init kwdefaults module name".split(" "),
  ..."new qualname repr self setattr str subclasshook wrapped".split(" "),
];
