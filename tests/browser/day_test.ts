import { HAS_BROWSER } from "./browser.ts";
import { spendDay } from "./day.ts";
import { KeyboardPerson, TreePerson } from "./person.ts";

Deno.test({
  name: "C 24 the keyboard alone suffices for the whole day of a person",
  ignore: !HAS_BROWSER,
  fn: () => spendDay((page) => new KeyboardPerson(page)),
});

Deno.test({
  name: "C 24 the tree of accessibility alone suffices for the whole day of a person",
  ignore: !HAS_BROWSER,
  fn: () => spendDay((page) => TreePerson.at(page)),
});
