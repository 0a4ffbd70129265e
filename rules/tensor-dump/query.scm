; Writers of tensors and arrays.
((call function: (_) @function) @match
 (#name? @function "torch.save" "torch.jit.save" "torch.onnx.export" "torch.export.save"
   "torch.distributed.checkpoint.save" "*.dcp.save" "numpy.save" "numpy.savez" "numpy.savez_compressed"
   "numpy.savetxt" "jax.numpy.save" "jax.numpy.savez" "safetensors.torch.save_file" "safetensors.numpy.save_file"
   "*.save_file" "safetensors.torch.save" "*.tofile" "*.ndarray.dump" "torchvision.utils.save_image" "*.save_image"
   "torchaudio.save" "soundfile.write" "cv2.imwrite" "imageio.imwrite" "imageio.imsave" "*.imsave"
   "matplotlib.pyplot.savefig" "*.savefig" "scipy.io.savemat" "h5py.File" "zarr.save" "tensorstore.open"))

; Serialisers.
((call function: (_) @function) @match
 (#name? @function "pickle.dump" "cPickle.dump" "_pickle.dump" "dill.dump" "cloudpickle.dump" "joblib.dump"
   "marshal.dump" "shelve.open" "msgpack.dump" "json.dump" "orjson.dump" "yaml.dump" "yaml.safe_dump" "toml.dump"
   "*.dump" "*.to_pickle" "*.to_parquet" "*.to_csv" "*.to_json" "*.to_feather" "*.to_hdf" "*.to_excel" "csv.writer"
   "csv.DictWriter"))

; Plain files.
((call function: (_) @function arguments: (argument_list (string) @mode)) @match
 (#name? @function "open" "builtins.open" "io.open" "codecs.open" "gzip.open" "bz2.open" "lzma.open" "*.open" "os.fdopen"
   "aiofiles.open" "numpy.memmap" "numpy.lib.format.open_memmap" "zipfile.ZipFile" "tarfile.open")
 (#match? @mode "^[bBuUrR]?[\"'][rbtU]*[wax+][wabxt+:gz2]*[\"']$"))

((call function: (_) @function
   arguments: (argument_list (keyword_argument name: (identifier) @keyword value: (string) @mode))) @match
 (#any-of? @keyword "mode")
 (#match? @mode "^[bBuUrR]?[\"'][rbtU]*[wax+][wabxt+:gz2]*[\"']$"))

((call function: (_) @function) @match
 (#name? @function "*.write_text" "*.write_bytes" "os.write" "os.pwrite" "*.writelines" "os.mkfifo"
   "tempfile.NamedTemporaryFile" "tempfile.mkstemp" "tempfile.mkdtemp"))

; Making room for them, and moving them about.
((call function: (_) @function) @match
 (#name? @function "os.makedirs" "os.mkdir" "*.mkdir" "*.touch" "shutil.copy" "shutil.copyfile" "shutil.copy2"
   "shutil.move" "shutil.rmtree" "os.remove" "os.unlink" "os.rename" "os.replace")
 (#set! strong false)
 (#set! penalty 1))
