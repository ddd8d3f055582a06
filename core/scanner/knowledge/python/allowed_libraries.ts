import { type AllowedNames, BARE, DICT, FUNCTION, MADE, type Use } from "./uses.ts";

/** The constructors of gensim read files and call what they are given. */
const GENSIM: readonly AllowedNames[] = [
  ["gensim.corpora.dictionary", "Dictionary", BARE],
  ["gensim.models.doc2vec", "Doc2Vec Doc2VecTrainables Doc2VecVocab", BARE],
  ["gensim.models.doc2vec", "TaggedDocument", MADE],
  [
    "gensim.models.fasttext",
    "FastText FastTextKeyedVectors FastTextTrainables FastTextVocab",
    BARE,
  ],
  ["gensim.models.hdpmodel", "HdpModel", BARE],
  [
    "gensim.models.keyedvectors",
    `KeyedVectors Vocab CompatVocab Word2VecKeyedVectors Doc2VecKeyedVectors
    EuclideanKeyedVectors FastTextKeyedVectors`,
    BARE,
  ],
  ["gensim.models.ldamodel", "LdaModel LdaState", BARE],
  ["gensim.models.lsimodel", "LsiModel Projection", BARE],
  ["gensim.models.phrases", "FrozenPhrases Phrases Phraser", BARE],
  ["gensim.models.phrases", "original_scorer npmi_scorer", FUNCTION],
  ["gensim.models.tfidfmodel", "TfidfModel", BARE],
  [
    "gensim.models.tfidfmodel",
    "df2idf smartirs_normalize smartirs_wglobal smartirs_wlocal",
    FUNCTION,
  ],
  ["gensim.models.word2vec", "Word2Vec Word2VecTrainables Word2VecVocab", BARE],
  ["gensim.similarities.docsim", "MatrixSimilarity SparseMatrixSimilarity", BARE],
  ["gensim.utils", "call_on_class_only identity", FUNCTION],
];

const NETWORKX: readonly AllowedNames[] = [
  ["networkx.classes.graph", "Graph"],
  ["networkx.classes.digraph", "DiGraph"],
  ["networkx.classes.multigraph", "MultiGraph"],
  ["networkx.classes.multidigraph", "MultiDiGraph"],
  ["networkx.classes.coreviews", "AtlasView AdjacencyView MultiAdjacencyView"],
  [
    "networkx.classes.reportviews",
    `NodeView NodeDataView EdgeView OutEdgeView InEdgeView MultiEdgeView OutMultiEdgeView
    InMultiEdgeView DegreeView DiDegreeView InDegreeView OutDegreeView MultiDegreeView
    DiMultiDegreeView InMultiDegreeView OutMultiDegreeView`,
  ],
];

const OMEGACONF: readonly AllowedNames[] = [
  ["omegaconf.base", "ContainerMetadata Metadata"],
  ["omegaconf.dictconfig", "DictConfig"],
  ["omegaconf.listconfig", "ListConfig"],
  [
    "omegaconf.nodes",
    "AnyNode BooleanNode BytesNode EnumNode FloatNode IntegerNode InterpolationResultNode PathNode StringNode",
  ],
];

/** Its compiled code believes that the model, the first argument, is one. */
const OF_MODEL: Use = { call: ["own object", "inert*"] };

const KALMAN_CLASSES: readonly AllowedNames[] = ([
  ["_initialization", "Initialization", MADE],
  ["_kalman_filter", "KalmanFilter", OF_MODEL],
  ["_kalman_smoother", "KalmanSmoother", OF_MODEL],
  ["_representation", "Statespace", MADE],
  ["_simulation_smoother", "SimulationSmoother", OF_MODEL],
] as const).map(([module, name, use]): AllowedNames => [
  `statsmodels.tsa.statespace.${module}`,
  ["c", "d", "s", "z"].map((type) => `${type}${name}`).join(" "),
  use,
]);

const STATSMODELS: readonly AllowedNames[] = [
  ["statsmodels.base.data", "ModelData PandasData", { state: "formula" }],
  ["statsmodels.base.model", "LikelihoodModelResults GenericLikelihoodModelResults"],
  [
    "statsmodels.discrete.discrete_model",
    `Logit LogitResults Probit ProbitResults MNLogit MultinomialResults MultinomialResultsWrapper
    Poisson PoissonResults PoissonResultsWrapper NegativeBinomial NegativeBinomialResults
    NegativeBinomialResultsWrapper BinaryResultsWrapper CountResultsWrapper`,
  ],
  [
    "statsmodels.genmod.families.family",
    "Binomial Gamma Gaussian InverseGaussian NegativeBinomial Poisson Tweedie",
  ],
  [
    "statsmodels.genmod.families.links",
    "CLogLog Cauchy CDFLink Identity InversePower InverseSquared Log LogLog Logit Power Probit",
  ],
  ["statsmodels.genmod.families.varfuncs", "Binomial NegativeBinomial Power VarianceFunction"],
  ["statsmodels.genmod.generalized_linear_model", "GLM GLMResults GLMResultsWrapper"],
  [
    "statsmodels.regression.linear_model",
    "GLS GLSAR OLS OLSResults RegressionResults RegressionResultsWrapper WLS",
  ],
  ["statsmodels.tools.decorators", "ResettableCache", DICT],
  ["statsmodels.tools.tools", "Bunch", DICT],
  ["statsmodels.tsa.ar_model", "AutoReg AutoRegResults AutoRegResultsWrapper"],
  ["statsmodels.tsa.arima.model", "ARIMA ARIMAResults ARIMAResultsWrapper"],
  ["statsmodels.tsa.arima.params", "SARIMAXParams"],
  ["statsmodels.tsa.arima.specification", "SARIMAXSpecification"],
  ["statsmodels.tsa.base.tsa_model", "TimeSeriesModel"],
  [
    "statsmodels.tsa.deterministic",
    `DeterministicProcess TimeTrend Seasonality Fourier CalendarTimeTrend CalendarSeasonality
    CalendarFourier`,
  ],
  ["statsmodels.tsa.holtwinters.model", "ExponentialSmoothing Holt SimpleExpSmoothing"],
  ["statsmodels.tsa.holtwinters.results", "HoltWintersResults HoltWintersResultsWrapper"],
  ["statsmodels.tsa.statespace.initialization", "Initialization"],
  ["statsmodels.tsa.statespace.kalman_filter", "FilterResults KalmanFilter"],
  ["statsmodels.tsa.statespace.kalman_smoother", "KalmanSmoother SmootherResults"],
  ["statsmodels.tsa.statespace.sarimax", "SARIMAX SARIMAXResults SARIMAXResultsWrapper"],
  [
    "statsmodels.tsa.statespace.simulation_smoother",
    "SimulationSmoothResults SimulationSmoother",
  ],
  ...KALMAN_CLASSES,
  ["scipy.optimize._lbfgsb_py", "LbfgsInvHessProduct"],
];

const CHEMPROP: readonly AllowedNames[] = [
  ["chemprop.nn.agg", "AttentiveAggregation MeanAggregation NormAggregation SumAggregation"],
  ["chemprop.nn.ffn", "MLP"],
  ["chemprop.nn.message_passing.base", "AtomMessagePassing BondMessagePassing"],
  // Pickles give metrics their own text, one character an argument, which no `__new__` of them reads.
  [
    "chemprop.nn.metrics",
    "BCELoss BinaryAUROC BinaryAUPRC BinaryAccuracy BinaryF1Score CrossEntropyLoss MAE MSE R2Score RMSE",
    { call: ["text*"] },
  ],
  [
    "chemprop.nn.predictors",
    `BinaryClassificationFFN EvidentialFFN MulticlassClassificationFFN MveFFN QuantileFFN
    RegressionFFN SpectralFFN`,
  ],
  ["chemprop.nn.transforms", "GraphTransform ScaleTransform UnscaleTransform"],
  ["chemprop.nn.utils", "Activation"],
  ["torchmetrics.metric", "jit_distributed_available", FUNCTION],
  [
    "torchmetrics.utilities.data",
    "dim_zero_cat dim_zero_max dim_zero_mean dim_zero_min dim_zero_sum",
    FUNCTION,
  ],
];

/** The classes of Morfessor's models, which their constructors fill with numbers and texts only. */
const MORFESSOR: readonly AllowedNames[] = [
  [
    "morfessor.baseline",
    `BaselineModel AnnotatedCorpusEncoding CorpusEncoding Encoding LexiconEncoding
    AnnotationCorpusWeight CorpusWeight FixedCorpusWeight MorphLengthCorpusWeight
    NumMorphCorpusWeight`,
  ],
  ["morfessor.baseline", "ConstrNode", MADE],
];

/** Libraries of topic models, statistics, chemistry and configuration. */
export const LIBRARY_NAMES: readonly AllowedNames[] = [
  ...GENSIM,
  ...NETWORKX,
  ...OMEGACONF,
  ...STATSMODELS,
  ...CHEMPROP,
  ...MORFESSOR,
  // Molecules, in a binary format of their own.
  ["rdkit.Chem.rdchem", "Mol", { call: ["plain"] }],
  // PyTables stores its filters in the attributes of its files: until version 2, under the first name.
  ["tables.Leaf", "Filters"],
  ["tables.filters", "Filters"],
  ["lightning.fabric.utilities.data", "AttributeDict", DICT],
  ["lightning.pytorch.utilities.parsing", "AttributeDict", DICT],
  ["lightning_fabric.utilities.data", "AttributeDict", DICT],
  ["pytorch_lightning.utilities.parsing", "AttributeDict", DICT],
];
