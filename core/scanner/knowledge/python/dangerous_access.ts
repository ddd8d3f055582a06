import { CODE, type DangerousNames, FRAMEWORKS, IMPORT, METHOD, PART } from "./danger.ts";

/** Names that reach more code: modules by name, serialized objects, attributes by name. */
export const ACCESS: readonly DangerousNames[] = [
  { danger: "import", rule: "S106", modules: "builtins", names: "__import__", alone: IMPORT },
  { danger: "import", rule: "S106", modules: "builtins", names: "reload" },
  {
    danger: "import",
    rule: "S107",
    modules: "importlib imp",
    names: "import_module load_module exec_module load_source",
    alone: METHOD,
  },
  { danger: "import", rule: "S107", modules: "importlib", alone: PART },
  { danger: "import", rule: "S107", modules: "imp", alone: ["part"] },
  { danger: "import", rule: "S107", modules: "_frozen_importlib _imp zipimport" },
  { danger: "import", modules: "pkgutil", names: "resolve_name", alone: IMPORT },
  {
    danger: "import",
    modules: "pkgutil",
    names: "get_importer walk_packages get_loader find_loader get_data extend_path",
  },
  {
    danger: "import",
    modules: "copyreg",
    names: `
      add_extension remove_extension pickle _extension_registry _inverted_registry _extension_cache
      dispatch_table
    `,
  },
  { danger: "import", level: "uncalled", modules: "copyreg pkgutil" },
  {
    danger: "import",
    modules: `
      pip ensurepip venv _frozen_importlib_external pkg_resources modulefinder unittest yaml
      ruamel.yaml torch._utils_internal transformers.dynamic_module_utils
      transformers.utils.import_utils hydra.utils.instantiate hydra.utils.call hydra.utils._locate
      hydra.utils.get_object hydra.utils.get_method hydra.utils.get_static_method
      hydra._internal.utils._locate omegaconf.OmegaConf.register_new_resolver
    `,
  },
  { danger: "deserialization", modules: "yaml", names: "unsafe_load full_load", alone: IMPORT },
  {
    danger: "deserialization",
    rule: "S213",
    modules: "pickle cPickle _pickle marshal dill",
    names: "load loads",
  },
  { danger: "deserialization", rule: "S213", modules: "pickle marshal", alone: PART },
  { danger: "deserialization", rule: "S213", modules: "cPickle", alone: ["code", "part"] },
  { danger: "deserialization", rule: "S213", modules: "_pickle", alone: CODE },
  {
    danger: "deserialization",
    rule: "S213",
    modules: "dill",
    names: "_dill load_module load_session session source temp",
  },
  { danger: "deserialization", rule: "S213", level: "uncalled", modules: "dill", alone: CODE },
  { danger: "deserialization", rule: "S213", level: "uncalled", modules: "joblib" },
  {
    danger: "deserialization",
    rule: "S213",
    modules: "pandas",
    names: "read_pickle",
    alone: IMPORT,
  },
  {
    danger: "deserialization",
    rule: "S213",
    modules: `
      pickletools joblib.load joblib.numpy_pickle.load joblib.numpy_pickle.NumpyUnpickler
      joblib.numpy_pickle._unpickle joblib.externals.loky joblib.externals.cloudpickle
      sklearn.externals.joblib.load numpy.lib.npyio.NpzFile numpy.lib.format.read_array torch.load
      torch.serialization.load torch.serialization._load torch.serialization._legacy_load
      torch.storage._load_from_bytes torch.jit.load torch.jit.jit_module_from_flatbuffer
      torch.package.PackageImporter torch.export.load torch.distributed.rpc
      torch.distributed._shard.checkpoint torch.distributed.checkpoint.filesystem
      torch.distributed.nn.api.remote_module torch.distributed.nn.RemoteModule
      torch.utils._config_module torch.utils.data.datapipes.utils.decoder
      torch.ao.quantization.utils.torch_load pandas.io.pickle pandas.compat.pickle_compat
      pandas.read_hdf plistlib jsonpickle hickle srsly logging.config xmlrpc.client.loads
    `,
  },
  {
    danger: "deserialization",
    rule: "S213",
    modules: "numpy",
    names: "load loads",
    anywhere: "name",
  },
  {
    danger: "deserialization",
    modules: FRAMEWORKS,
    names: "load_model",
    alone: CODE,
    anywhere: "name",
  },
  {
    danger: "deserialization",
    modules: FRAMEWORKS,
    names: `
      load_weights func_load model_from_json model_from_config model_from_yaml
      enable_unsafe_deserialization
    `,
    anywhere: "name",
  },
  {
    danger: "deserialization",
    modules: FRAMEWORKS,
    names: "saving_lib serialization_lib legacy_h5_format global_state",
    anywhere: "part",
  },
  {
    danger: "introspection",
    rule: "S115",
    modules: "builtins",
    names: "getattr setattr delattr globals locals vars",
    alone: IMPORT,
  },
  { danger: "introspection", rule: "S115", modules: "builtins", names: "hasattr dir" },
  { danger: "introspection", level: "odd", modules: "builtins", names: "type" },
  { danger: "introspection", rule: "S104", level: "ordinary", modules: "builtins", alone: PART },
  { danger: "introspection", rule: "S104", level: "ordinary", modules: "__builtin__ __builtins__" },
  { danger: "introspection", modules: "_operator" },
  {
    danger: "introspection",
    modules: "operator _operator",
    names: "attrgetter methodcaller",
    alone: IMPORT,
  },
  {
    danger: "introspection",
    level: "ordinary",
    modules: "operator _operator",
    names: "itemgetter",
  },
  { danger: "introspection", modules: "operator", names: "call setitem delitem iconcat" },
  { danger: "introspection", level: "uncalled", modules: "operator inspect" },
  { danger: "introspection", level: "odd", modules: "platform" },
  {
    danger: "introspection",
    modules: "inspect",
    names: "getmembers currentframe getattr_static stack getmodule unwrap",
  },
  {
    danger: "introspection",
    modules: `
      functools.reduce itertools.starmap gc logging.Filterer logging.Logger
      _collections_abc.__dict__ toolz cytoolz
    `,
  },
  {
    danger: "introspection",
    modules: "types",
    names: `
      MethodDescriptorType WrapperDescriptorType GetSetDescriptorType MemberDescriptorType
      ClassMethodDescriptorType MethodWrapperType DynamicClassAttribute coroutine prepare_class
      resolve_bases BuiltinFunctionType ModuleType FrameType TracebackType
    `,
  },
  { danger: "introspection", level: "uncalled", modules: "functools", names: "partialmethod" },
  { danger: "introspection", modules: "functools", names: "partialmethod.__get__" },
  {
    danger: "indirection",
    rule: "S115",
    modules: "builtins",
    names: `
      map filter property staticmethod classmethod super help license credits copyright
    `,
  },
  {
    danger: "indirection",
    modules: "functools",
    names: `
      cache lru_cache cmp_to_key singledispatch singledispatchmethod cached_property
 update_wrapper wraps _lru_cache_wrapper
    `,
  },
  {
    danger: "indirection",
    modules: "itertools",
    names: "accumulate takewhile dropwhile filterfalse groupby",
  },
  {
    danger: "indirection",
    modules: "_functools contextlib contextvars string.Formatter jax.tree_util.Partial",
  },
  { danger: "indirection", level: "odd", modules: "functools", names: "partial" },
  { danger: "indirection", level: "ordinary", modules: "functools itertools" },
];
