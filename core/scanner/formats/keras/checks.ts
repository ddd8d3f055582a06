/** The names of the checks of Keras configurations. */
export const KERAS_CONFIGURATION = "Keras Configuration";
export const KERAS_CODE = "Keras Code";
export const KERAS_MODULE_REFERENCE = "Keras Module Reference";
export const KERAS_CUSTOM_OBJECT = "Keras Custom Object";
export const KERAS_UNSAFE_DESERIALIZATION = "Keras Unsafe Deserialization";
export const KERAS_FILE_ACCESS = "Keras File Access";

/** The message of each check that finds nothing. */
export const KERAS_PASSED = {
  [KERAS_CONFIGURATION]: "The configuration was read completely",
  [KERAS_CODE]: "No layer or function contains code",
  [KERAS_MODULE_REFERENCE]: "All objects are from Keras, TensorFlow or NumPy",
  [KERAS_CUSTOM_OBJECT]: "No custom objects are registered",
  [KERAS_UNSAFE_DESERIALIZATION]: "Safe mode is not disabled",
  [KERAS_FILE_ACCESS]: "No object downloads or reads a file when the model is loaded",
};
