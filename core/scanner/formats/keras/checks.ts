/** The checks of a configuration of Keras by name, with what is said where nothing was wrong. */
export const KERAS_CONFIGURATION = "Keras Configuration";
export const KERAS_CODE = "Keras Code";
export const KERAS_MODULE_REFERENCE = "Keras Module Reference";
export const KERAS_CUSTOM_OBJECT = "Keras Custom Object";
export const KERAS_UNSAFE_DESERIALIZATION = "Keras Unsafe Deserialization";
export const KERAS_FILE_ACCESS = "Keras File Access";

export const KERAS_PASSED = {
  [KERAS_CONFIGURATION]: "The configuration was read through to its end",
  [KERAS_CODE]: "No layer and no function holds code",
  [KERAS_MODULE_REFERENCE]: "All objects are of Keras, TensorFlow or NumPy",
  [KERAS_CUSTOM_OBJECT]: "No object is registered by others than Keras",
  [KERAS_UNSAFE_DESERIALIZATION]: "Nothing asks for code to be loaded without a check",
  [KERAS_FILE_ACCESS]: "No object fetches or reads a file when it is loaded",
};
