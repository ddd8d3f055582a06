"""Makes files of random tensors with the formats' own libraries, and says what these read, a line of JSON for each.

tensors.py DIRECTORY COUNT SEED
"""

import hashlib
import json
import os
import random
import sys
import zipfile

import gguf
import h5py
import numpy as np
import onnx
import onnx.numpy_helper
import safetensors
import safetensors.numpy

TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"]


def random_array(chance, types=TYPES):
    shape = [chance.randrange(0 if chance.random() < 0.1 else 1, 9) for _ in range(chance.randrange(5))]
    dtype = np.dtype(chance.choice(types))
    count = int(np.prod(shape, dtype=object)) if shape else 1
    array = np.frombuffer(chance.randbytes(count * dtype.itemsize), dtype=dtype).reshape(shape)
    return np.asfortranarray(array) if chance.random() < 0.2 else array


def random_arrays(chance, types=TYPES):
    return {f"layer.{index}.weight": random_array(chance, types) for index in range(chance.randrange(9))}


def told(name, shape, stored):
    return {"name": name, "shape": [int(it) for it in shape], "sha256": hashlib.sha256(stored).hexdigest()}


def make_safetensors(path, chance):
    arrays = {name: np.ascontiguousarray(it) for name, it in random_arrays(chance).items()}
    safetensors.numpy.save_file(arrays, path, metadata={"format": "np"})


def read_safetensors(path):
    with safetensors.safe_open(path, framework="np") as file:
        arrays = {key: file.get_tensor(key) for key in file.keys()}
    return [told(key, it.shape, it.tobytes()) for key, it in arrays.items()]


def make_npy(path, chance):
    np.save(path, random_array(chance))


def stored(array):
    return array.tobytes("F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C")


def read_npy(path):
    array = np.load(path)
    return [told("array", array.shape, stored(array))]


def make_npz(path, chance):
    save = np.savez_compressed if chance.random() < 0.5 else np.savez
    save(path, **random_arrays(chance))


def read_npz(path):
    with np.load(path) as file:
        return [told(key, file[key].shape, stored(file[key])) for key in file.files]


def make_onnx(path, chance):
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in random_arrays(chance).items()]
    graph = onnx.helper.make_graph([], "graph", [], [], tensors)
    onnx.save(onnx.helper.make_model(graph, ir_version=chance.randrange(7, 11)), path)


def read_onnx(path):
    tensors = onnx.load(path).graph.initializer
    return [told(it.name, it.dims, onnx.numpy_helper.to_array(it).tobytes()) for it in tensors]


def make_gguf(path, chance):
    writer = gguf.GGUFWriter(path, "llama")
    for name, array in random_arrays(chance, ["float16", "float32", "int8", "int32"]).items():
        if array.size and array.ndim:
            writer.add_tensor(name, np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_gguf(path):
    return [told(it.name, it.shape, it.data.tobytes()) for it in gguf.GGUFReader(path).tensors]


def make_h5(path, chance):
    libver = chance.choice(["earliest", "latest"])
    with h5py.File(path, "w", libver=libver) as file:
        for index in range(chance.randrange(9)):
            array = np.ascontiguousarray(random_array(chance))
            if chance.random() < 0.2:
                array = array.astype(array.dtype.newbyteorder(">"))
            group = file.require_group(chance.choice(["layers/dense/vars", "layers/norm", "optimizer", "_"]))
            group.create_dataset(str(index), data=array, **storage_of(chance, array, libver))
        if chance.random() < 0.3:
            file["names"] = np.array([b"kernel", b"bias"])


def storage_of(chance, array, libver):
    """Chunks and filters for some arrays; those of newer indexes, which have no digests, for one chunk alone."""
    if array.ndim == 0 or array.size == 0 or chance.random() < 0.5:
        return {}
    is_old = libver == "earliest"
    chunks = tuple(chance.randrange(1, size + 1) if is_old else size for size in array.shape)
    return {
        "chunks": chunks,
        "compression": chance.choice([None, "gzip"]),
        "shuffle": chance.random() < 0.5,
        "fletcher32": chance.random() < 0.3,
    }


def read_h5(path):
    found = []
    with h5py.File(path, "r") as file:
        def visit(name, it):
            if isinstance(it, h5py.Dataset):
                found.append(told(name, it.shape, it[()].tobytes()))

        file.visititems(visit)
    return found


def make_keras(path, chance):
    make_h5(f"{path}.h5", chance)
    method = chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("metadata.json", "{}")
        archive.writestr("config.json", "{}")
        archive.write(f"{path}.h5", "model.weights.h5")


def read_keras(path):
    return read_h5(f"{path}.h5")


FORMATS = {
    ".safetensors": (make_safetensors, read_safetensors),
    ".npy": (make_npy, read_npy),
    ".npz": (make_npz, read_npz),
    ".onnx": (make_onnx, read_onnx),
    ".gguf": (make_gguf, read_gguf),
    ".h5": (make_h5, read_h5),
    ".keras": (make_keras, read_keras),
}

if __name__ == "__main__":
    directory, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    for index in range(count):
        extension, (make, read) = list(FORMATS.items())[index % len(FORMATS)]
        path = os.path.join(directory, f"{index}{extension}")
        make(path, chance)
        print(json.dumps({"path": path, "tensors": read(path)}))
