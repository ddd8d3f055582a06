import * as assert from "node:assert/strict";
import { judgeImport } from "../../../core/scan/pickle/policy.ts";

const JUDGED: readonly (readonly [string, string, string, string?])[] = [
  ["os", "system", "denied", "S101"],
  ["posix", "system", "denied", "S101"],
  ["nt", "system", "denied", "S101"],
  ["sys", "modules", "denied", "S102"],
  ["subprocess", "Popen", "denied", "S103"],
  ["commands", "getoutput", "denied", "S103"],
  ["builtins", "eval", "denied", "S104"],
  ["__builtin__", "execfile", "denied", "S104"],
  ["__builtin__\r", "eval", "denied", "S104"],
  ["builtins", "compile", "denied", "S105"],
  ["builtins", "__import__", "denied", "S106"],
  ["importlib", "import_module", "denied", "S107"],
  ["runpy", "run_path", "denied", "S108"],
  ["webbrowser", "open", "denied", "S109"],
  ["ctypes.util", "find_library", "denied"],
  ["builtins", "getattr", "denied", "S115"],
  ["socket", "socket", "denied", "S301"],
  ["urllib2", "urlopen", "denied", "S302"],
  ["httplib", "HTTPSConnection", "denied", "S303"],
  ["builtins", "open", "denied", "S401"],
  ["pathlib", "Path.write_text", "denied", "S402"],
  ["shutil", "rmtree", "denied", "S403"],
  ["pickle", "loads", "denied", "S213"],
  ["_pickle", "Unpickler", "denied", "S213"],
  ["torch", "load", "denied", "S213"],
  ["joblib", "load", "denied", "S213"],
  ["torch.hub", "load", "denied"],
  ["operator", "attrgetter", "denied"],
  ["collections", "OrderedDict.__init__.__globals__", "denied"],
  ["x", "__subclasses__", "denied"],
  ["x", "sys.modules", "denied", "S102"],
  ["six.moves.subprocess", "x", "denied", "S103"],
  ["functools", "partial", "suspicious"],
  ["glob", "glob", "suspicious"],
  ["tempfile", "mktemp", "suspicious", "S404"],
  ["base64", "b64decode", "suspicious", "S601"],
  ["os.path", "join", "allowed"],
  ["os", "path", "allowed"],
  ["os", "path.join", "allowed"],
  ["os", "path.os.system", "denied", "S101"],
  ["collections", "OrderedDict", "allowed"],
  ["__builtin__", "set", "allowed"],
  ["copy_reg", "_reconstructor", "allowed"],
  ["torch", "BFloat16Storage", "allowed"],
  ["torch._utils", "_rebuild_tensor_v2", "allowed"],
  ["numpy._core.multiarray", "_reconstruct", "allowed"],
  ["scipy.sparse._csr", "csr_matrix", "allowed"],
  ["sklearn.linear_model._logistic", "LogisticRegression", "allowed"],
  ["acme", "Model", "unlisted"],
  ["acme", "Outer.Inner", "unlisted"],
  ["collections", "OrderedDict.fromkeys", "unlisted"],
  ["osmosis", "system", "unlisted"],
  ["numpy", "trace", "unlisted"],
  ["scipy.signal", "convolve", "unlisted"],
  ["", "", "unlisted"],
  ["toString", "constructor", "unlisted"],
];

Deno.test("judgeImport() denies before it allows, by both spellings and every part", async (t) => {
  for (const [module, name, level, ruleCode] of JUDGED) {
    await t.step(`${module}.${name} is ${level}`, () => {
      const judgement = judgeImport(module, name);
      assert.equal(judgement.level, level);
      if (ruleCode !== undefined) assert.equal(judgement.ruleCode, ruleCode);
    });
  }
});
