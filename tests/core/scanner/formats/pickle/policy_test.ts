import * as assert from "node:assert/strict";
import { ALLOWED_GROUPS } from "../../../../../core/scanner/knowledge/python/allowed_names.ts";
import { dangerOf } from "../../../../../core/scanner/knowledge/python/dangerous_names.ts";
import { judgeImport } from "../../../../../core/scanner/formats/pickle/policy.ts";

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
  ...[
    "psutil.Popen",
    "six.exec_",
    "attr._make._compile_and_eval",
    "numpy.testing.rundocs",
    "PIL.ImageMath.eval",
    "pandas.DataFrame.eval",
    "pandas.core.frame.DataFrame.query",
    "pandas.core.series.Series.to_pickle",
    "fire.Fire",
    "mlflow.utils.process._exec_cmd",
    "mlflow.projects.backend.local._exec_cmd",
    "ray.cloudpickle.loads",
    "torch.jit._serialization.load",
    "torch.utils.benchmark.Timer",
    "huggingface_hub.file_download.hf_hub_download",
    "gensim.utils.unpickle",
    "statsmodels.iolib.smpickle.load_pickle",
    "decorator.FunctionMaker.create",
    "uuid._arp_getnode",
  ].map((path) => {
    const parts = path.split(".");
    return [parts.slice(0, -1).join("."), parts.at(-1) ?? "", "denied"] as const;
  }),
  ["pandas", "DataFrame", "allowed"],
  ["numpy.testing", "assert_equal", "unlisted"],
  ["mlflow.models", "Model", "unlisted"],
  ["functools", "partial", "allowed"],
  ["functools", "partialmethod", "suspicious"],
  ["operator", "itemgetter", "allowed"],
  ["operator", "methodcaller", "denied"],
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
  ["sklearn.metrics._scorer", "_Scorer", "allowed"],
  ["sklearn.linear_model._least_angle", "LassoLarsCV", "allowed"],
  ["sklearn.metrics._dist_metrics", "ManhattanDistance64", "allowed"],
  ["sklearn.metrics._dist_metrics", "PyFuncDistance64", "unlisted"],
  ["sklearn.utils.validation", "check_array", "unlisted"],
  ["scipy.stats._continuous_distns", "uniform_gen", "unlisted"],
  ["scipy.stats._kde", "gaussian_kde", "unlisted"],
  ["statsmodels.base.data", "ModelData", "allowed"],
  ["statsmodels.base.data", "OtherData", "unlisted"],
  ["gensim.models.word2vec", "Word2Vec", "allowed"],
  ["gensim.models.fasttext", "FastTextVocab", "allowed"],
  ["gensim.models.fasttext", "load_facebook_model", "unlisted"],
  ["gensim.models.keyedvectors", "EuclideanKeyedVectors", "allowed"],
  ["gensim.models.tfidfmodel", "smartirs_wlocal", "allowed"],
  ["morfessor.baseline", "BaselineModel", "allowed"],
  ["morfessor.io", "MorfessorIO", "unlisted"],
  ["rdkit.Chem.rdchem", "Mol", "allowed"],
  ["rdkit.Chem.rdmolfiles", "SDWriter", "unlisted"],
  ["statsmodels.tools.decorators", "ResettableCache", "allowed"],
  ["tables.Leaf", "Filters", "allowed"],
  ["tables.Leaf", "Leaf", "unlisted"],
  ["lightning.fabric.utilities.data", "AttributeDict", "allowed"],
  ["torch.optim.radam", "RAdam", "allowed"],
  ["torch.optim.lr_scheduler", "ExponentialLR", "allowed"],
  ["torch.distributed.checkpoint.metadata", "Metadata", "allowed"],
  ["torch.distributed.checkpoint.filesystem", "_StorageInfo", "allowed"],
  ["torch.distributed.checkpoint.filesystem", "FileSystemReader", "denied", "S213"],
  ["torch.distributed.checkpoint.filesystem", "_StorageInfo.os", "denied", "S213"],
  ["torch.fx.graph_module", "reduce_graph_module", "denied"],
  ["torchvision.models.alexnet", "AlexNet", "allowed"],
  ["pandas", "RangeIndex", "allowed"],
  ["pandas.arrays", "ArrowStringArray", "allowed"],
  ["pyarrow.lib", "_restore_array", "allowed"],
  ["pyarrow.lib", "memory_map", "unlisted"],
  ["acme", "Model", "unlisted"],
  ["acme", "Outer.Inner", "unlisted"],
  ["collections", "OrderedDict.fromkeys", "unlisted"],
  ["osmosis", "system", "unlisted"],
  ["numpy", "trace", "unlisted"],
  ["scipy.signal", "convolve", "unlisted"],
  ["", "", "unlisted"],
  ["toString", "constructor", "unlisted"],
];

Deno.test("evasion 83: judgeImport() denies before it allows, by both spellings and every component", async (t) => {
  for (const [module, name, level, ruleCode] of JUDGED) {
    await t.step(`${module}.${name} is ${level}`, () => {
      const judgment = judgeImport(module, name);
      assert.equal(judgment.level, level);
      if (ruleCode !== undefined) assert.equal(judgment.ruleCode, ruleCode);
    });
  }
});

Deno.test("the only allowed names within denied modules are records of distributed checkpoints", () => {
  const allowed = ALLOWED_GROUPS.flatMap(([module, names]) =>
    names.trim().split(/\s+/).map((name) => `${module}.${name}`)
  );
  const both = allowed.filter((path) => dangerOf(path)?.level === "forbidden");
  assert.deepEqual(both, ["torch.distributed.checkpoint.filesystem._StorageInfo"]);
});
