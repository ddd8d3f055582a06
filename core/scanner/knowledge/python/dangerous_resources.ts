import { CODE, type DangerousNames, FRAMEWORKS, IMPORT, OS, PART } from "./danger.ts";

const PATH_CLASSES =
  "pathlib.Path pathlib.PosixPath pathlib.WindowsPath pathlib._local.Path pathlib._local.PosixPath " +
  "pathlib._local.WindowsPath";

/** Names that touch files, the network or the interpreter, or hide what they handle. */
export const RESOURCES: readonly DangerousNames[] = [
  { danger: "file", rule: "S101", modules: OS, names: "unlink", alone: IMPORT },
  {
    danger: "file",
    rule: "S101",
    modules: OS,
    names: "remove removedirs rmdir rename renames truncate chmod chown link symlink",
  },
  { danger: "file", rule: "S401", modules: "builtins", names: "open", alone: CODE },
  { danger: "file", rule: "S401", modules: "builtins", names: "file" },
  { danger: "file", rule: "S401", modules: "io _io", names: "open" },
  { danger: "file", rule: "S402", modules: PATH_CLASSES, names: "unlink", alone: IMPORT },
  {
    danger: "file",
    rule: "S402",
    modules: PATH_CLASSES,
    names: "write_text write_bytes",
    alone: CODE,
  },
  {
    danger: "file",
    rule: "S402",
    modules: PATH_CLASSES,
    names: `
      open touch rename replace rmdir chmod mkdir symlink_to hardlink_to read_text read_bytes glob
      rglob
    `,
  },
  { danger: "file", rule: "S403", modules: "shutil", names: "rmtree", alone: IMPORT },
  { danger: "file", rule: "S403", modules: "shutil", alone: PART },
  {
    danger: "file",
    rule: "S404",
    modules: "tempfile",
    names: `
      NamedTemporaryFile TemporaryFile SpooledTemporaryFile mkstemp mkdtemp TemporaryDirectory
    `,
  },
  { danger: "file", rule: "S404", level: "uncalled", modules: "tempfile", alone: CODE },
  {
    danger: "file",
    modules: `
      fileinput filecmp shelve sqlite3 _sqlite3 mmap distutils tarfile zipfile ntpath posixpath
      _pyio io.FileIO _io.FileIO io.TextIOWrapper.write _io.TextIOWrapper.write io.open_code
      _io.open_code codecs.open gzip.open bz2.open lzma.open dbm csv.DictWriter dotenv cgitb
      logging.FileHandler logging.handlers logging.basicConfig site.addpackage site.addsitedir
      site.main site.execsitecustomize torch.save torch.from_file torch.UntypedStorage.from_file
    `,
  },
  {
    danger: "file",
    modules: "numpy",
    names: "save savez savez_compressed savetxt tofile dump",
    anywhere: "name",
  },
  {
    danger: "file",
    modules: FRAMEWORKS,
    names: "write_file read_file",
    alone: CODE,
    anywhere: "name",
  },
  {
    danger: "file",
    modules: FRAMEWORKS,
    names: `
      WriteFile ReadFile save_model save_weights save_img write_graph delete_recursively
      delete_recursively_v2 extract_archive
    `,
    anywhere: "name",
  },
  { danger: "file", modules: FRAMEWORKS, names: "gfile", alone: CODE, anywhere: "part" },
  {
    danger: "file",
    modules: `${FRAMEWORKS} numpy`,
    names: "file_io io_ops file_utils io_utils _datasource",
    anywhere: "part",
  },
  { danger: "file", level: "uncalled", modules: "site linecache" },
  { danger: "file", level: "odd", modules: "glob difflib" },
  { danger: "file", level: "ordinary", modules: "pathlib", alone: CODE },
  { danger: "file", level: "ordinary", modules: "io _io logging" },
  {
    danger: "data",
    modules: "numpy",
    names: "fromfile memmap loadtxt genfromtxt DataSource",
    anywhere: "name",
  },
  {
    danger: "data",
    modules: FRAMEWORKS,
    names: `
      get_file load_img matching_files MatchingFiles image_dataset_from_directory
      text_dataset_from_directory audio_dataset_from_directory
    `,
    anywhere: "name",
  },
  {
    danger: "data",
    modules: `
      pandas.read_csv pandas.io.parsers pandas.read_json pandas.read_html pandas.read_sql
    `,
  },
  { danger: "network", rule: "S301", modules: "socket", names: "create_connection", alone: CODE },
  { danger: "network", rule: "S301", modules: "socket", alone: PART },
  { danger: "network", rule: "S301", modules: "_socket ssl _ssl socketserver select selectors" },
  {
    danger: "network",
    rule: "S302",
    modules: "urllib urllib.request urllib2",
    names: "urlopen urlretrieve",
    alone: IMPORT,
  },
  { danger: "network", rule: "S302", modules: "urllib", alone: PART },
  { danger: "network", rule: "S302", modules: "requests urllib2", alone: CODE },
  { danger: "network", rule: "S302", modules: "urllib3 aiohttp httpx pycurl wget boto3 botocore" },
  { danger: "network", rule: "S303", modules: "http httplib", alone: CODE },
  { danger: "network", rule: "S303", modules: "xmlrpc xmlrpclib" },
  { danger: "network", rule: "S304", modules: "ftplib", alone: CODE },
  { danger: "network", rule: "S305", modules: "telnetlib" },
  { danger: "network", rule: "S306", modules: "smtplib", alone: CODE },
  { danger: "network", rule: "S306", modules: "smtpd" },
  {
    danger: "network",
    modules: `
      poplib imaplib nntplib asyncore asynchat wsgiref torch.hub torch.utils.model_zoo
    `,
  },
  { danger: "interpreter", rule: "S102", modules: "sys", alone: PART },
  {
    danger: "interpreter",
    modules: `
      _signal syslog faulthandler resource.setrlimit resource.prlimit tracemalloc _posixshmem
      readline rlcompleter curses msvcrt fcntl termios tty
    `,
  },
  { danger: "interpreter", level: "uncalled", modules: "resource" },
  {
    danger: "concealment",
    rule: "S601",
    level: "odd",
    modules: "base64",
    names: `
      b16decode b32decode b32hexdecode b64decode b85decode a85decode z85decode standard_b64decode
      urlsafe_b64decode
    `,
    alone: CODE,
  },
  {
    danger: "concealment",
    rule: "S601",
    level: "odd",
    modules: "binascii",
    names: "unhexlify a2b_base64 a2b_hex",
    alone: CODE,
  },
  { danger: "concealment", rule: "S601", level: "odd", modules: "base64 binascii", alone: CODE },
  {
    danger: "concealment",
    rule: "S601",
    level: "odd",
    modules: "builtins.bytes builtins.bytearray",
    names: "fromhex",
    alone: CODE,
  },
  {
    danger: "concealment",
    rule: "S610",
    level: "odd",
    modules: "zlib bz2 lzma gzip",
    names: "decompress",
    alone: CODE,
  },
  { danger: "concealment", rule: "S610", level: "odd", modules: "zlib", alone: CODE },
  {
    danger: "concealment",
    rule: "S610",
    level: "odd",
    modules: "bz2 lzma gzip encodings _codecs.decode _codecs.lookup",
  },
  { danger: "concealment", rule: "S610", level: "uncalled", modules: "codecs", names: "decode" },
  { danger: "concealment", rule: "S610", level: "uncalled", modules: "codecs", alone: CODE },
  {
    danger: "tampering",
    modules: "fickling picklescan modelscan model_unpickler saferpickle modelaudit",
  },
];
