"""Says what the formats' own libraries read in files, a line of JSON for each.

generate DIRECTORY COUNT SEED   makes files with those libraries first
describe PATH...                reads files that are there
"""

import json
import os
import random
import sys

import gguf
import h5py
import numpy as np
import onnx
import onnx.numpy_helper
import safetensors
import safetensors.numpy

TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"]


def emit(path, facts):
    print(json.dumps({"path": path, "facts": facts}))


def summary(format, tensors, version=None):
    """Facts of tensors, each a type, a number of elements and bytes."""
    dtypes = {}
    for dtype, elements, _ in tensors:
        dtypes[dtype] = dtypes.get(dtype, 0) + elements
    facts = {
        "format": format,
        "tensors": len(tensors),
        "tensor_bytes": sum(size for _, _, size in tensors),
        "parameters": sum(elements for _, elements, _ in tensors),
        "dtypes": dtypes,
    }
    return facts if version is None else {**facts, "format_version": str(version)}


def of_array(array):
    return (array.dtype.name, int(array.size), int(array.nbytes))


def read_safetensors(path):
    with safetensors.safe_open(path, framework="np") as file:
        return summary("safetensors", [of_array(file.get_tensor(key)) for key in file.keys()])


def read_numpy(path):
    with open(path, "rb") as file:
        major, _ = np.lib.format.read_magic(file)
    return summary("numpy", [of_array(np.load(path))], major)


def read_hdf5(path):
    tensors = []

    def visit(_, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiub":
            # What h5py takes for bool is an enumeration of int8.
            name = "int8" if item.dtype.kind == "b" else item.dtype.name
            tensors.append((name, int(item.size or 0), int(item.size or 0) * item.dtype.itemsize))

    with h5py.File(path) as file:
        file.visititems(visit)
    return summary("hdf5", tensors)


def read_onnx(path):
    model = onnx.load(path, load_external_data=False)
    tensors = []

    def graph(it):
        for tensor in it.initializer:
            elements = int(np.prod(tensor.dims, dtype=object)) if tensor.dims else 1
            dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
            tensors.append((dtype.name, elements, elements * dtype.itemsize))
        for node in it.node:
            for attribute in node.attribute:
                for inner in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
                    graph(inner)

    graph(model.graph)
    return summary("onnx", tensors, model.ir_version)


def read_gguf(path):
    reader = gguf.GGUFReader(path)

    def field(key):
        found = reader.get_field(key)
        return None if found is None else found.contents()

    tensors = [
        (ggml_name(it.tensor_type), int(it.n_elements), int(it.n_bytes)) for it in reader.tensors
    ]
    facts = summary("gguf", tensors, field("GGUF.version"))
    architecture = field("general.architecture")
    named = {
        "architecture": architecture,
        "title": field("general.name"),
        "license": field("general.license"),
        "tokenizer": field("tokenizer.ggml.model"),
        "context_length": field(f"{architecture}.context_length"),
        "languages": field("general.languages"),
    }
    return {**facts, **{key: value for key, value in named.items() if value is not None}}


LONG_NAMES = {"BF": "bfloat", "F": "float", "I": "int"}


def ggml_name(type):
    letters = type.name.rstrip("0123456789")
    bits = type.name[len(letters):]
    return f"{LONG_NAMES[letters]}{bits}" if letters in LONG_NAMES and bits else type.name.lower()


READERS = {
    ".safetensors": read_safetensors,
    ".npy": read_numpy,
    ".h5": read_hdf5,
    ".hdf5": read_hdf5,
    ".onnx": read_onnx,
    ".gguf": read_gguf,
}


def random_array(chance, types=TYPES):
    shape = [chance.randrange(0 if chance.random() < 0.1 else 1, 9) for _ in range(chance.randrange(5))]
    return np.zeros(shape, dtype=chance.choice(types))


def random_arrays(chance, types=TYPES):
    return {f"layer.{index}.weight": random_array(chance, types) for index in range(chance.randrange(9))}


def make_safetensors(path, chance):
    safetensors.numpy.save_file(random_arrays(chance), path, metadata={"format": "np"})


def make_numpy(path, chance):
    array = random_array(chance)
    if chance.random() < 0.3:
        array = array.astype(array.dtype.newbyteorder(">"))
    with open(path, "wb") as file:
        np.lib.format.write_array(file, array, version=(chance.choice([1, 2]), 0))


def make_hdf5(path, chance):
    with h5py.File(path, "w", libver=chance.choice(["earliest", "latest"])) as file:
        for index, array in enumerate(random_arrays(chance).values()):
            chunks = True if array.size and array.ndim and chance.random() < 0.3 else None
            file.create_dataset(f"group{index % 3}/array{index}", data=array, chunks=chunks)
        file.attrs["note"] = "made at random"


def make_onnx(path, chance):
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in random_arrays(chance).items()]
    graph = onnx.helper.make_graph([], "graph", [], [], tensors)
    model = onnx.helper.make_model(graph, ir_version=chance.randrange(7, 11))
    onnx.save(model, path)


def make_gguf(path, chance):
    architecture = chance.choice(["llama", "bert", "gpt2"])
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name(f"model {chance.randrange(1000)}")
    if chance.random() < 0.5:
        writer.add_license("mit")
    if chance.random() < 0.5:
        writer.add_context_length(chance.randrange(1, 1 << 20))
    if chance.random() < 0.5:
        writer.add_languages(["en", "de"])
    if chance.random() < 0.5:
        writer.add_tokenizer_model("gpt2")
    for name, array in random_arrays(chance, ["float16", "float32", "int8", "int32"]).items():
        if array.size and array.ndim:
            writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


MAKERS = {
    ".safetensors": make_safetensors,
    ".npy": make_numpy,
    ".h5": make_hdf5,
    ".onnx": make_onnx,
    ".gguf": make_gguf,
}


def generate(directory, count, seed):
    chance = random.Random(seed)
    for index in range(count):
        extension, make = list(MAKERS.items())[index % len(MAKERS)]
        path = os.path.join(directory, f"{index}{extension}")
        make(path, chance)
        emit(path, READERS[extension](path))


def describe(paths):
    for path in paths:
        try:
            facts = READERS[os.path.splitext(path)[1]](path)
        except Exception:  # What their own library refuses says nothing.
            continue
        emit(path, facts)


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "generate":
        generate(arguments[0], int(arguments[1]), int(arguments[2]))
    else:
        describe(arguments)
