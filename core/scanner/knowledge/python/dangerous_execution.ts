import {
  CODE,
  type DangerousNames,
  FRAMEWORKS,
  IMPORT,
  METHOD,
  OS,
  PART,
  VARIABLE,
} from "./danger.ts";

/** Names that run something: code, commands, programs, machine code. */
export const EXECUTION: readonly DangerousNames[] = [
  { danger: "code", rule: "S104", modules: "builtins", names: "eval exec execfile", alone: IMPORT },
  { danger: "code", rule: "S105", modules: "builtins", names: "compile", alone: CODE },
  { danger: "code", rule: "S105", modules: "codeop", alone: CODE },
  { danger: "code", rule: "S105", modules: "py_compile compileall" },
  { danger: "code", rule: "S108", modules: "runpy", alone: PART },
  { danger: "code", rule: "S108", modules: "runpy", names: "run_module run_path", alone: METHOD },
  { danger: "code", rule: "S115", modules: "builtins", names: "breakpoint", alone: IMPORT },
  { danger: "code", rule: "S115", modules: "builtins", names: "input raw_input exit quit" },
  { danger: "code", modules: "pdb timeit", alone: VARIABLE },
  { danger: "code", modules: "cloudpickle", alone: CODE },
  { danger: "code", modules: "_xxsubinterpreters _interpreters", alone: ["part"] },
  {
    danger: "code",
    modules: `
      code trace bdb profile cProfile doctest pydoc idlelib lib2to3 _testcapi _xxtestfuzz nose
      pytest annotationlib inspect.get_annotations collections.eval collections.exec
      numpy.core.function_base.eval
      numpy.lib.utils.safe_eval numpy.lib._utils_impl.safe_eval torch.compile
      torch.fx.experimental.symbolic_shapes.ShapeEnv torch.fx.graph_module torch._dynamo
      torch._inductor torch.utils.bottleneck torch.utils.cpp_extension
      torch.jit.unsupported_tensor_ops torch.jit.frontend torch.package torch.testing._internal
      torch.ops.load_library torch.classes.load_library sympy.parsing sympy.sympify
      sympy.core.sympify pandas.eval pandas.core.computation numexpr jinja2 mako tensorflow.raw_ops
      keras.layers.Lambda keras.src.layers.core.lambda_layer test.support.script_helper cython
      Cython pyximport IPython
    `,
  },
  { danger: "code", modules: "types", names: "CodeType FunctionType", alone: CODE },
  { danger: "code", modules: "types", names: "MethodType LambdaType new_class" },
  { danger: "code", modules: "typing", names: "_eval_type get_type_hints ForwardRef" },
  { danger: "code", modules: "dataclasses", names: "_create_fn make_dataclass" },
  {
    danger: "code",
    modules: "numpy.testing numpy.testing.utils numpy.testing._private.utils",
    names: "runstring",
    alone: IMPORT,
  },
  { danger: "code", modules: "numpy.testing._private.utils", names: "rundocs measure" },
  {
    danger: "code",
    modules: FRAMEWORKS,
    names: "py_function numpy_function py_func",
    alone: CODE,
    anywhere: "name",
  },
  { danger: "code", modules: FRAMEWORKS, names: "PyFunc EagerPyFunc", anywhere: "name" },
  {
    danger: "code",
    modules: `${FRAMEWORKS} numpy`,
    names: "f2py distutils ctypeslib script_ops",
    anywhere: "part",
  },
  { danger: "code", level: "ordinary", modules: "types" },
  { danger: "shell", rule: "S101", modules: OS, names: "system", alone: IMPORT },
  { danger: "shell", rule: "S101", modules: OS, names: "popen", alone: METHOD },
  { danger: "shell", rule: "S101", modules: OS, names: "popen2 popen3 popen4", alone: IMPORT },
  {
    danger: "shell",
    rule: "S103",
    modules: "subprocess commands",
    names: "getoutput getstatusoutput",
    alone: METHOD,
  },
  { danger: "shell", rule: "S103", modules: "pty", names: "spawn", alone: IMPORT },
  { danger: "shell", modules: "platform", names: "popen _syscmd_ver _syscmd_file" },
  {
    danger: "process",
    rule: "S101",
    modules: OS,
    names: `
      execl execle execlp execlpe execv execve execvp execvpe spawnl spawnle spawnlp spawnlpe
      spawnv spawnve spawnvp spawnvpe posix_spawn posix_spawnp startfile
    `,
    alone: METHOD,
  },
  { danger: "process", rule: "S101", modules: OS, names: "fork forkpty", alone: CODE },
  {
    danger: "process",
    rule: "S103",
    modules: "subprocess",
    names: "Popen check_call check_output",
    alone: METHOD,
  },
  { danger: "process", rule: "S103", modules: "subprocess pty", alone: PART },
  {
    danger: "process",
    rule: "S103",
    modules: "_posixsubprocess commands",
    alone: ["code", "part"],
  },
  {
    danger: "process",
    rule: "S103",
    modules: "popen2 pexpect subprocess32 _winapi winreg _winreg",
  },
  { danger: "process", rule: "S109", modules: "webbrowser", alone: PART },
  { danger: "process", rule: "S109", modules: "antigravity" },
  {
    danger: "process",
    modules: "asyncio asyncio.subprocess",
    names: "create_subprocess_exec create_subprocess_shell",
    alone: METHOD,
  },
  { danger: "process", modules: "multiprocessing asyncio", alone: VARIABLE },
  { danger: "process", modules: "threading _thread", alone: CODE },
  {
    danger: "process",
    modules: "numpy.distutils.exec_command paramiko.SSHClient",
    names: "exec_command",
    alone: IMPORT,
  },
  {
    danger: "process",
    modules: `
      _multiprocessing _asyncio signal pipes concurrent atexit weakref.finalize sched
      torch.multiprocessing torch.utils.collect_env torch.distributed.launch torch.distributed.run
      torch.distributed.elastic imaplib.IMAP4_stream mailcap setuptools test.support _osx_support
      _aix_support _pyrepl _tkinter tkinter turtle invoke fabric paramiko sh plumbum
    `,
  },
  {
    danger: "process",
    modules: "uuid",
    names: `
      _popen _get_command_stdout getnode _ifconfig_getter _ip_getter _arp_getter _lanscan_getter
      _netstat_getter _ipconfig_getter _find_mac _find_mac_near_keyword _find_mac_under_heading
    `,
  },
  { danger: "system", rule: "S101", modules: "os posix", alone: PART },
  { danger: "system", rule: "S101", modules: "nt", alone: ["variable", "part"] },
  { danger: "native", rule: "S110", modules: "ctypes _ctypes", alone: PART },
  { danger: "native", modules: "ctypes.util cffi" },
  { danger: "memory", rule: "S115", modules: "builtins", names: "id memoryview" },
  {
    danger: "memory",
    modules: `
      numpy.lib.stride_tricks numpy.lib._stride_tricks_impl
      torch._C._construct_storage_from_data_pointer torch._C._construct_CUDA_Tensor_From_Storage_And_Metadata
    `,
  },
  {
    danger: "native",
    modules: FRAMEWORKS,
    names: "load_library load_op_library load_file_system_library load_plugin",
    alone: CODE,
    anywhere: "name",
  },
];
