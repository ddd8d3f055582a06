import { type AllowedNames, DICT, FUNCTION, MADE, REBUILDER, type Use } from "./uses.ts";

const TREE: Use = { stateItems: 13 };

/** scikit-learn, including the module names without underscores from before version 0.22. */
export const SKLEARN_NAMES: readonly AllowedNames[] = [
  ["sklearn.pipeline", "Pipeline FeatureUnion"],
  ["sklearn.utils", "Bunch", DICT],
  ["sklearn.utils._bunch", "Bunch", DICT],
  ["sklearn.dummy", "DummyClassifier DummyRegressor"],
  ["sklearn.calibration", "CalibratedClassifierCV _CalibratedClassifier _SigmoidCalibration"],
  ["sklearn.isotonic", "IsotonicRegression"],
  ["sklearn.kernel_ridge", "KernelRidge"],
  [
    "sklearn.kernel_approximation",
    "RBFSampler Nystroem AdditiveChi2Sampler PolynomialCountSketch SkewedChi2Sampler",
  ],
  [
    "sklearn.multiclass",
    "OneVsRestClassifier OneVsOneClassifier _ConstantPredictor OutputCodeClassifier",
  ],
  [
    "sklearn.multioutput",
    "MultiOutputClassifier MultiOutputRegressor ClassifierChain RegressorChain",
  ],
  ["sklearn.naive_bayes", "GaussianNB MultinomialNB BernoulliNB ComplementNB CategoricalNB"],
  ["sklearn.discriminant_analysis", "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis"],
  ["sklearn.random_projection", "GaussianRandomProjection SparseRandomProjection"],
  [
    "sklearn.compose._column_transformer",
    "ColumnTransformer _RemainderColsList make_column_selector",
  ],
  ["sklearn.compose._target", "TransformedTargetRegressor"],
  [
    "sklearn.preprocessing._data",
    `StandardScaler MinMaxScaler MaxAbsScaler RobustScaler Normalizer Binarizer PowerTransformer
    QuantileTransformer KernelCenterer`,
  ],
  [
    "sklearn.preprocessing.data",
    "StandardScaler MinMaxScaler MaxAbsScaler RobustScaler Normalizer",
  ],
  ["sklearn.preprocessing._label", "LabelEncoder LabelBinarizer MultiLabelBinarizer"],
  ["sklearn.preprocessing.label", "LabelEncoder LabelBinarizer MultiLabelBinarizer"],
  ["sklearn.preprocessing._encoders", "OneHotEncoder OrdinalEncoder"],
  ["sklearn.preprocessing._target_encoder", "TargetEncoder"],
  ["sklearn.preprocessing._discretization", "KBinsDiscretizer"],
  ["sklearn.preprocessing._polynomial", "PolynomialFeatures SplineTransformer"],
  ["sklearn.preprocessing._function_transformer", "FunctionTransformer"],
  ["sklearn.impute._base", "SimpleImputer MissingIndicator"],
  ["sklearn.impute._knn", "KNNImputer"],
  ["sklearn.impute._iterative", "IterativeImputer"],
  [
    "sklearn.linear_model._base",
    "LinearRegression LinearModel",
  ],
  ["sklearn.linear_model._logistic", "LogisticRegression LogisticRegressionCV"],
  ["sklearn.linear_model.logistic", "LogisticRegression LogisticRegressionCV"],
  ["sklearn.linear_model.base", "LinearRegression"],
  ["sklearn.linear_model._ridge", "Ridge RidgeCV RidgeClassifier RidgeClassifierCV"],
  [
    "sklearn.linear_model._coordinate_descent",
    `Lasso LassoCV ElasticNet ElasticNetCV MultiTaskLasso MultiTaskElasticNet MultiTaskElasticNetCV
    MultiTaskLassoCV`,
  ],
  ["sklearn.linear_model._stochastic_gradient", "SGDClassifier SGDRegressor SGDOneClassSVM"],
  [
    "sklearn.linear_model._sgd_fast",
    `Hinge Log ModifiedHuber SquaredLoss Huber SquaredHinge EpsilonInsensitive
    SquaredEpsilonInsensitive`,
    MADE,
  ],
  ["sklearn.linear_model._bayes", "BayesianRidge ARDRegression"],
  ["sklearn.linear_model._perceptron", "Perceptron"],
  [
    "sklearn.linear_model._passive_aggressive",
    "PassiveAggressiveClassifier PassiveAggressiveRegressor",
  ],
  ["sklearn.linear_model._huber", "HuberRegressor"],
  ["sklearn.linear_model._ransac", "RANSACRegressor"],
  ["sklearn.linear_model._glm.glm", "PoissonRegressor GammaRegressor TweedieRegressor"],
  [
    "sklearn.tree._classes",
    "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor",
  ],
  ["sklearn.tree.tree", "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier"],
  ["sklearn.tree._tree", "Tree", MADE],
  [
    "sklearn.ensemble._forest",
    `RandomForestClassifier RandomForestRegressor ExtraTreesClassifier ExtraTreesRegressor
    RandomTreesEmbedding`,
  ],
  [
    "sklearn.ensemble.forest",
    "RandomForestClassifier RandomForestRegressor ExtraTreesClassifier ExtraTreesRegressor",
  ],
  ["sklearn.ensemble._gb", "GradientBoostingClassifier GradientBoostingRegressor"],
  ["sklearn.ensemble._gb_losses", "BinomialDeviance MultinomialDeviance LeastSquaresError"],
  ["sklearn.ensemble.gradient_boosting", "GradientBoostingClassifier GradientBoostingRegressor"],
  [
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting",
    "HistGradientBoostingClassifier HistGradientBoostingRegressor",
  ],
  ["sklearn.ensemble._hist_gradient_boosting.binning", "_BinMapper"],
  ["sklearn.ensemble._hist_gradient_boosting.predictor", "TreePredictor"],
  ["sklearn.ensemble._weight_boosting", "AdaBoostClassifier AdaBoostRegressor"],
  ["sklearn.ensemble._bagging", "BaggingClassifier BaggingRegressor"],
  ["sklearn.ensemble._iforest", "IsolationForest"],
  ["sklearn.ensemble._stacking", "StackingClassifier StackingRegressor"],
  ["sklearn.ensemble._voting", "VotingClassifier VotingRegressor"],
  [
    "sklearn._loss.loss",
    `HalfBinomialLoss HalfMultinomialLoss HalfSquaredError AbsoluteError PinballLoss HuberLoss
    HalfPoissonLoss HalfGammaLoss ExponentialLoss HalfTweedieLossIdentity HalfTweedieLoss`,
  ],
  ["sklearn._loss.link", "LogitLink IdentityLink LogLink MultinomialLogit Interval HalfLogitLink"],
  [
    "sklearn._loss._loss",
    `CyHalfBinomialLoss CyHalfMultinomialLoss CyHalfSquaredError CyAbsoluteError CyPinballLoss
    CyHuberLoss CyHalfPoissonLoss CyHalfGammaLoss CyHalfTweedieLoss CyHalfTweedieLossIdentity
    CyExponentialLoss`,
    MADE,
  ],
  [
    "sklearn._loss._loss",
    `__pyx_unpickle_CyHalfBinomialLoss __pyx_unpickle_CyHalfMultinomialLoss
    __pyx_unpickle_CyHalfSquaredError`,
    REBUILDER,
  ],
  ["sklearn.svm._classes", "SVC SVR NuSVC NuSVR LinearSVC LinearSVR OneClassSVM"],
  ["sklearn.svm.classes", "SVC SVR NuSVC NuSVR LinearSVC LinearSVR OneClassSVM"],
  ["sklearn.neighbors._classification", "KNeighborsClassifier RadiusNeighborsClassifier"],
  ["sklearn.neighbors._regression", "KNeighborsRegressor RadiusNeighborsRegressor"],
  ["sklearn.neighbors._unsupervised", "NearestNeighbors"],
  ["sklearn.neighbors._nearest_centroid", "NearestCentroid"],
  ["sklearn.neighbors._lof", "LocalOutlierFactor"],
  ["sklearn.neighbors._kde", "KernelDensity"],
  ["sklearn.neighbors._kd_tree", "newObj", REBUILDER],
  ["sklearn.neighbors._kd_tree", "KDTree KDTree64 KDTree32", TREE],
  ["sklearn.neighbors._ball_tree", "newObj", REBUILDER],
  ["sklearn.neighbors._ball_tree", "BallTree BallTree64 BallTree32", TREE],
  [
    "sklearn.metrics._dist_metrics",
    `EuclideanDistance EuclideanDistance64 MinkowskiDistance EuclideanDistance32
    ManhattanDistance ManhattanDistance64 ManhattanDistance32 ChebyshevDistance
    ChebyshevDistance64 ChebyshevDistance32 MinkowskiDistance64 MinkowskiDistance32
    SEuclideanDistance SEuclideanDistance64 SEuclideanDistance32 MahalanobisDistance
    MahalanobisDistance64 MahalanobisDistance32 HammingDistance HammingDistance64
    HammingDistance32 CanberraDistance CanberraDistance64 CanberraDistance32 BrayCurtisDistance
    BrayCurtisDistance64 BrayCurtisDistance32 JaccardDistance JaccardDistance64 JaccardDistance32
    HaversineDistance HaversineDistance64 HaversineDistance32`,
    { stateItems: 3 },
  ],
  ["sklearn.metrics._dist_metrics", "newObj", REBUILDER],
  ["sklearn.cluster._kmeans", "KMeans MiniBatchKMeans BisectingKMeans"],
  ["sklearn.cluster.k_means_", "KMeans MiniBatchKMeans"],
  ["sklearn.cluster._dbscan", "DBSCAN"],
  ["sklearn.cluster._hdbscan.hdbscan", "HDBSCAN"],
  ["sklearn.cluster._agglomerative", "AgglomerativeClustering FeatureAgglomeration"],
  ["sklearn.cluster._birch", "Birch _CFNode _CFSubcluster"],
  ["sklearn.cluster._mean_shift", "MeanShift"],
  ["sklearn.cluster._spectral", "SpectralClustering"],
  ["sklearn.decomposition._pca", "PCA"],
  ["sklearn.decomposition.pca", "PCA"],
  ["sklearn.decomposition._incremental_pca", "IncrementalPCA"],
  ["sklearn.decomposition._kernel_pca", "KernelPCA"],
  ["sklearn.decomposition._truncated_svd", "TruncatedSVD"],
  ["sklearn.decomposition._nmf", "NMF MiniBatchNMF"],
  ["sklearn.decomposition._fastica", "FastICA"],
  ["sklearn.decomposition._lda", "LatentDirichletAllocation"],
  ["sklearn.decomposition._factor_analysis", "FactorAnalysis"],
  ["sklearn.mixture._gaussian_mixture", "GaussianMixture"],
  ["sklearn.mixture._bayesian_mixture", "BayesianGaussianMixture"],
  ["sklearn.manifold._t_sne", "TSNE"],
  ["sklearn.neural_network._multilayer_perceptron", "MLPClassifier MLPRegressor"],
  ["sklearn.neural_network._stochastic_optimizers", "AdamOptimizer SGDOptimizer"],
  ["sklearn.gaussian_process._gpr", "GaussianProcessRegressor"],
  [
    "sklearn.gaussian_process._gpc",
    "GaussianProcessClassifier _BinaryGaussianProcessClassifierLaplace",
  ],
  [
    "sklearn.gaussian_process.kernels",
    `RBF ConstantKernel WhiteKernel Matern Sum Product DotProduct RationalQuadratic ExpSineSquared
    Exponentiation CompoundKernel PairwiseKernel`,
  ],
  ["sklearn.gaussian_process.kernels", "Hyperparameter", MADE],
  [
    "sklearn.feature_extraction.text",
    "TfidfVectorizer CountVectorizer TfidfTransformer HashingVectorizer",
  ],
  ["sklearn.feature_extraction._dict_vectorizer", "DictVectorizer"],
  ["sklearn.feature_extraction._hash", "FeatureHasher"],
  [
    "sklearn.feature_selection._univariate_selection",
    "SelectKBest SelectPercentile SelectFdr SelectFpr SelectFwe GenericUnivariateSelect",
  ],
  ["sklearn.feature_selection._univariate_selection", "f_classif f_regression chi2", FUNCTION],
  ["sklearn.feature_selection._from_model", "SelectFromModel"],
  ["sklearn.feature_selection._rfe", "RFE RFECV"],
  ["sklearn.feature_selection._variance_threshold", "VarianceThreshold"],
  ["sklearn.model_selection._search", "GridSearchCV RandomizedSearchCV ParameterGrid"],
  [
    "sklearn.model_selection._split",
    "KFold StratifiedKFold GroupKFold ShuffleSplit TimeSeriesSplit",
  ],
  ["sklearn.cluster._affinity_propagation", "AffinityPropagation"],
  ["sklearn.neural_network._rbm", "BernoulliRBM"],
  ["sklearn.cluster._bisect_k_means", "BisectingKMeans _BisectingTree"],
  ["sklearn.cross_decomposition._pls", "CCA PLSCanonical PLSRegression PLSSVD"],
  ["sklearn.manifold._classical_mds", "ClassicalMDS"],
  [
    "sklearn.decomposition._dict_learning",
    "DictionaryLearning MiniBatchDictionaryLearning SparseCoder",
  ],
  ["sklearn.covariance._elliptic_envelope", "EllipticEnvelope"],
  ["sklearn.covariance._empirical_covariance", "EmpiricalCovariance"],
  [
    "sklearn.model_selection._classification_threshold",
    "FixedThresholdClassifier TunedThresholdClassifierCV",
  ],
  ["sklearn.frozen._frozen", "FrozenEstimator"],
  ["sklearn.covariance._graph_lasso", "GraphicalLasso GraphicalLassoCV"],
  [
    "sklearn.metrics._scorer",
    "_PassthroughScorer _Scorer _PredictScorer _ProbaScorer _ThresholdScorer _CurveScorer",
  ],
  [
    "sklearn.metrics._classification",
    `accuracy_score balanced_accuracy_score brier_score_loss cohen_kappa_score f1_score fbeta_score
    jaccard_score log_loss matthews_corrcoef precision_score recall_score`,
    FUNCTION,
  ],
  [
    "sklearn.metrics._regression",
    `explained_variance_score max_error mean_absolute_error mean_absolute_percentage_error
    mean_squared_error mean_squared_log_error median_absolute_error r2_score
    root_mean_squared_error`,
    FUNCTION,
  ],
  ["sklearn.metrics._ranking", "average_precision_score roc_auc_score", FUNCTION],
  ["sklearn.cluster._kmeans", "_kmeans_single_lloyd _kmeans_single_elkan", FUNCTION],
  ["sklearn.manifold._isomap", "Isomap"],
  ["sklearn.neighbors._graph", "KNeighborsTransformer RadiusNeighborsTransformer"],
  ["sklearn.semi_supervised._label_propagation", "LabelPropagation LabelSpreading"],
  ["sklearn.linear_model._least_angle", "Lars LarsCV LassoLars LassoLarsCV LassoLarsIC"],
  ["sklearn.manifold._locally_linear", "LocallyLinearEmbedding"],
  ["sklearn.manifold._mds", "MDS"],
  ["sklearn.covariance._robust_covariance", "MinCovDet"],
  ["sklearn.decomposition._sparse_pca", "MiniBatchSparsePCA SparsePCA"],
  ["sklearn.neighbors._nca", "NeighborhoodComponentsAnalysis"],
  ["sklearn.covariance._shrunk_covariance", "OAS ShrunkCovariance LedoitWolf"],
  ["sklearn.cluster._optics", "OPTICS"],
  ["sklearn.linear_model._omp", "OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV"],
  ["sklearn.feature_extraction.image", "PatchExtractor"],
  ["sklearn.linear_model._quantile", "QuantileRegressor"],
  ["sklearn.semi_supervised._self_training", "SelfTrainingClassifier"],
  ["sklearn.feature_selection._sequential", "SequentialFeatureSelector"],
  ["sklearn.cluster._bicluster", "SpectralBiclustering SpectralCoclustering"],
  ["sklearn.manifold._spectral_embedding", "SpectralEmbedding"],
  ["sklearn.linear_model._theil_sen", "TheilSenRegressor"],
  ["sklearn.utils._metadata_requests", "MethodMetadataRequest MetadataRequest"],
];
