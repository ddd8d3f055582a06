import type { DangerousNames } from "./danger.ts";

/**
 * Functions of popular packages that run, load or reach what they are given. Packages that models also
 * take harmless classes from are listed by their names.
 */
export const PACKAGES: readonly DangerousNames[] = [
  {
    danger: "code",
    rule: "S104",
    modules: `
      six.exec_ six.reraise future.utils.exec_ past.builtins past.utils.old_div
      attr._make._compile_and_eval attr._make._linecache_and_compile attr._make._make_method
      attr._make._make_init attrs._make decorator.FunctionMaker decorator.decorate
      boltons.funcutils.FunctionBuilder makefun fastcore.basics.exec_new fastcore.basics.exec_local
      fastcore.basics.exec_import fastcore.basics.exec_eval typing_extensions.get_type_hints
      typing_extensions._eval_with_owner typing_extensions.evaluate_forward_ref
      PIL.ImageMath.eval PIL.ImageMath.unsafe_eval PIL.ImageMath.lambda_eval
      patsy.eval patsy.highlevel patsy.dmatrix patsy.dmatrices formulaic.utils.stateful_transforms
      asteval simpleeval RestrictedPython execjs js2py dukpy lupa quickjs
      tornado.template tornado.util.exec_in django.template werkzeug.debug bottle.SimpleTemplate
      chameleon.template nbconvert papermill jupyter_client ipykernel bpython ptpython
      transformers.tools.python_interpreter transformers.agents smolagents
      torch.utils.benchmark torch.jit.CompilationUnit torch.jit.script torch.jit._script
      torch.jit.annotations torch.fx._symbolic_trace numba.core.serialize numba.pycc numba.cuda.cudadrv
      cppyy pythran scipy.weave weave rpy2 oct2py julia matlab jpype py4j
      langchain.chains.llm_math langchain_experimental doctest.testsource
      scipy.stats._distn_infrastructure.rv_generic._construct_argparser
    `,
  },
  {
    danger: "code",
    rule: "S104",
    modules: `
      pandas.DataFrame pandas.core.frame.DataFrame pandas.Series pandas.core.series.Series
      pandas.core.generic.NDFrame
    `,
    names: "eval query pipe apply applymap map agg aggregate transform",
  },
  {
    danger: "code",
    modules: `
      numpy.testing.rundocs numpy.testing.measure numpy.testing.utils.rundocs
      numpy.testing.utils.measure numpy.testing._private.extbuild numpy.testing.extbuild
      numpy.testing._private.noseclasses numpy.testing.run_module_suite
      numpy.testing._private.utils.run_module_suite numpy.testing.Tester numpy.testing.jiffies
    `,
  },
  {
    danger: "process",
    rule: "S103",
    modules: `
      psutil gevent.subprocess gevent.os eventlet.green.subprocess eventlet.green.os
      tornado.process anyio.run_process anyio.open_process trio.run_process trio._subprocess
      twisted.internet twisted.python.procutils git dulwich hglib docker ansible salt
      mlflow.projects mlflow.utils.process mlflow.run mlflow.gateway mlflow.recipes mlflow.cli
      nltk.internals nltk.app gensim.utils.check_output gensim.models.wrappers spacy.util.run_command
      spacy.cli PIL.ImageShow PIL.ImageGrab PIL.EpsImagePlugin PIL.JpegImagePlugin.JpegImageFile.load_djpeg
      fastcore.xtras.run fastcore.xtras.parse_args accelerate.commands accelerate.utils.launch
      accelerate.test_utils deepspeed.launcher transformers.testing_utils transformers.commands
      torch.utils.hipify ray._private ray.job_submission ray.util.client detectron2.utils.env
      matplotlib.texmanager matplotlib.animation matplotlib.testing wx.Execute pyautogui pynput
      virtualenv tox coverage.cmdline wheel.cli
    `,
  },
  {
    danger: "process",
    rule: "S103",
    modules: "mlflow",
    names: "_exec_cmd exec_cmd",
    anywhere: "name",
  },
  {
    danger: "process",
    modules: `
      fire click.edit click.launch click.termui click._termui_impl click.utils.open_file typer.launch
      multiprocess pathos ppft billiard joblib.externals joblib.pool joblib.executor
      ray.remote ray.init distributed dask.distributed dask.multiprocessing celery
      gunicorn uvicorn win32api win32com pythoncom comtypes wmi PyQt5.QtCore.QProcess
      PySide2.QtCore.QProcess PyQt6.QtCore.QProcess PySide6.QtCore.QProcess
    `,
  },
  {
    danger: "native",
    modules: `
      llvmlite.binding scipy.LowLevelCallable scipy._lib._ccallback pyopencl
      cupy.RawModule cupy.RawKernel triton.runtime.build
    `,
  },
  {
    danger: "import",
    modules: `
      pandas.compat._optional werkzeug.utils.import_string werkzeug.utils.find_modules
      django.utils.module_loading django.core.management pydantic.utils.import_string
      pydantic.v1.utils.import_string pydantic._internal._validators.import_string
      importlib_metadata importlib_resources entrypoints stevedore zope.dottedname pluggy
      traitlets.utils.importstring traitlets.import_item traitlets.config.loader twisted.python.reflect
      sqlalchemy.util.langhelpers lazy_loader apipkg venusian paste.script
      sentence_transformers.util.import_from_string mmengine.utils.import_modules_from_strings
      mmcv.utils.import_modules_from_strings spacy.util.import_file confection catalogue
      torch.utils.data.datapipes.utils lightning.pytorch.cli
      jsonargparse pytorch_lightning.cli kombu.utils.imports celery.utils.imports
    `,
  },
  {
    danger: "deserialization",
    rule: "S213",
    modules: `
      pickle5 _pickle5 zodbpickle compress_pickle pickleshare klepto diskcache quickle
      ray.cloudpickle ray.serialization ray.util.serialization pyspark.cloudpickle pyspark.serializers
      pyspark.java_gateway pyspark.worker pyspark.daemon mlflow.pyfunc.load_model
      mlflow.sklearn.load_model mlflow.pytorch.load_model
      torch.jit._serialization torch._C.import_ir_module torch._C.import_ir_module_from_buffer
      torch._C._load_for_lite_interpreter torch._C._load_for_lite_interpreter_from_buffer
      torch.utils.show_pickle torch.utils.model_dump torch.utils.serialization torch.distributed._state_dict_utils
      dill.load_module_asdict joblib.numpy_pickle.load_compatibility
      joblib.numpy_pickle.load_temporary_memmap joblib.numpy_pickle_compat.load_compatibility
      joblib.memory joblib.Memory joblib._store_backends joblib.func_inspect
      statsmodels.iolib.smpickle statsmodels.api.load statsmodels.base.wrapper.load_pickle
      gensim.utils.unpickle gensim.utils.pickle gensim.utils.SaveLoad gensim.downloader
      nltk.data.load networkx.read_gpickle networkx.readwrite.gpickle spacy.load spacy.util.load_model
      fastai.learner.load_learner fastai.basic_train.load_learner fastcore.xtras.load_pickle
      pyarrow.deserialize pyarrow.deserialize_from pyarrow.read_serialized pyarrow.serialization
      lightning_fabric.utilities.cloud_io lightning.fabric.utilities.cloud_io
      pytorch_lightning.utilities.cloud_io timm.models.helpers timm.models._helpers timm.models._hub
      mmcv.runner.load_checkpoint mmcv.fileio mmengine.fileio mmengine.runner.load_checkpoint
      mmcv.Config mmcv.utils.config mmengine.config.Config.fromfile detectron2.config.LazyConfig
      detectron2.config.lazy theano.misc.pkl_utils sqlalchemy.ext.serializer
      numpy.lib._npyio_impl.load numpy.lib.npyio.load
      scipy.sparse.load_npz scipy.io tables.open_file tables.file h5py.File deepdish
      anndata.read_h5ad flair.file_utils transformers.pipeline transformers.pipelines.pipeline
      datasets.load_dataset datasets.load.load_dataset evaluate.load evaluate.loading.load
      spacy.util.load_model_from_path skops.io.load skops.io._persist.load
      tensorflow.saved_model.load
    `,
  },
  // With `trust_remote_code`, they run Python files of the model that they load.
  {
    danger: "deserialization",
    rule: "S213",
    modules: "transformers diffusers peft",
    names: "from_pretrained",
    anywhere: "name",
  },
  {
    danger: "file",
    modules: `
      joblib.dump joblib.disk joblib.numpy_pickle.dump torch.serialization.save
      torch.serialization._open_file torch.serialization._open_zipfile_reader
      torch.serialization._open_zipfile_writer torch.jit.save torch._C.PyTorchFileReader
      torch._C.PyTorchFileWriter torch.onnx torch.cuda.memory._dump_snapshot torch.utils.tensorboard
      torch.profiler gensim.utils.open gensim.utils.file_or_filename nltk.data.find
      sklearn.datasets scipy.sparse.save_npz scipy.misc.imsave scipy.datasets
      PIL.Image.open cv2.imwrite cv2.imread cv2.VideoCapture cv2.VideoWriter cv2.FileStorage imageio
      skimage.io soundfile matplotlib.pyplot matplotlib.cbook plotly.io bokeh.io lxml.etree
      docutils.core netCDF4.Dataset zarr.open xarray.open_dataset toml.load configobj
      duckdb psycopg2 pymysql MySQLdb pymongo redis pyodbc cx_Oracle sqlalchemy.create_engine
      fastcore.xtras.open_file fastcore.xtras.untar_dir keyring getpass pyminizip py7zr rarfile
    `,
  },
  {
    danger: "file",
    modules: `
      pandas.DataFrame pandas.core.frame.DataFrame pandas.Series pandas.core.series.Series
      pandas.core.generic.NDFrame
    `,
    names: `
      to_pickle to_csv to_json to_hdf to_sql to_excel to_parquet to_feather to_stata to_html to_latex
      to_xml to_clipboard to_gbq to_orc to_markdown to_string
    `,
  },
  {
    danger: "data",
    modules: "pandas",
    names: `
      read_clipboard read_excel read_feather read_fwf read_gbq read_orc read_parquet read_sas read_spss
      read_sql_query read_sql_table read_stata read_table read_xml ExcelFile ExcelWriter HDFStore
    `,
  },
  { danger: "data", modules: "pandas.io pyarrow.fs pyarrow.parquet pyarrow.csv pyarrow.hdfs" },
  {
    danger: "data",
    modules: "huggingface_hub",
    names: `
      hf_hub_download snapshot_download cached_download http_get upload_file upload_folder create_repo
      delete_repo push_to_hub login load_torch_model load_state_dict_from_file
    `,
    anywhere: "name",
  },
  {
    danger: "network",
    modules: `
      gevent eventlet twisted tornado trio anyio fsspec s3fs gcsfs adlfs smart_open cloudpathlib minio
      httplib2 websocket websockets grpc zmq pika kafka requests_toolbelt pyngrok kubernetes
      fastdownload fastai.data.external sentence_transformers.util.http_get transformers.utils.hub
      sklearn.datasets._base seaborn.load_dataset werkzeug.serving flask.Flask
      torch.distributed.TCPStore torch.distributed.FileStore torch.distributed.init_process_group
      tensorflow_datasets.load
    `,
  },
  {
    danger: "process",
    modules: "uuid",
    names: `
      _arp_getnode _ifconfig_getnode _ip_getnode _lanscan_getnode _netstat_getnode _ipconfig_getnode
      _netbios_getnode _unix_getnode _windll_getnode
    `,
  },
  {
    danger: "indirection",
    modules: "more_itertools funcy pydash fn returns.pipeline wrapt functional",
  },
];
