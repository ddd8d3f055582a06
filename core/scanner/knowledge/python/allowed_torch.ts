import {
  type AllowedNames,
  BARE,
  CONSTANT,
  ENUM,
  FUNCTION,
  MADE,
  MAKER,
  REBUILDER,
  type Use,
} from "./uses.ts";

const STORAGES = `
  FloatStorage DoubleStorage HalfStorage BFloat16Storage LongStorage IntStorage ShortStorage
  CharStorage ByteStorage BoolStorage ComplexFloatStorage ComplexDoubleStorage QInt8Storage
  QUInt8Storage QInt32Storage QUInt4x2Storage QUInt2x4Storage
`;

const FUSED = `
  LinearReLU ConvReLU1d ConvReLU2d ConvReLU3d ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d
  ConvBnReLU3d BNReLU2d BNReLU3d
`;

/** Seed, offset and state: the state is read as if it were there. */
const GENERATOR: Use = { call: ["inert*"], stateItems: 3 };

/** Calls its first argument with those in the third, and makes an object of its second of the result. */
const APPLIER: Use = { as: "function", call: ["own maker", "own class", "inert*"] };

/** PyTorch: tensors, storages, and the layers of models that are pickled whole. */
export const TORCH_NAMES: readonly AllowedNames[] = [
  [
    "torch",
    `Tensor dtype layout memory_format FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor
    IntTensor ShortTensor CharTensor ByteTensor BoolTensor ${STORAGES}`,
  ],
  ["torch", "Size", { call: ["items?"] }],
  ["torch", "device", { call: ["text", "number?"] }],
  ["torch", "Generator", GENERATOR],
  ["torch._C", "Generator", GENERATOR],
  [
    "torch",
    `strided sparse_coo sparse_csr contiguous_format channels_last channels_last_3d preserve_format
    float16 float32 float64 half float double bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3fnuz
    float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2 int8 int16 int32 int64 int long short uint8
    uint16 uint32 uint64 bool complex32 complex64 complex128 cfloat cdouble chalf qint8 quint8
    qint32 quint4x2 quint2x4 per_tensor_affine per_channel_affine per_tensor_symmetric
    per_channel_symmetric per_channel_affine_float_qparams`,
    CONSTANT,
  ],
  ["torch.cuda", `FloatTensor HalfTensor LongTensor ${STORAGES}`],
  ["torch.storage", "TypedStorage UntypedStorage _TypedStorage _UntypedStorage"],
  ["torch", "UntypedStorage TypedStorage"],
  [
    "torch._utils",
    `_rebuild_tensor _rebuild_tensor_v2 _rebuild_tensor_v3 _rebuild_parameter
    _rebuild_parameter_with_state _rebuild_parameter_v2 _rebuild_qtensor _rebuild_sparse_tensor
    _rebuild_sparse_csr_tensor _rebuild_device_tensor_from_numpy _rebuild_device_tensor_from_cpu_tensor
    _rebuild_meta_tensor_no_storage _rebuild_nested_tensor _rebuild_xla_tensor`,
    MAKER,
  ],
  ["torch._utils", "_rebuild_wrapper_subclass", REBUILDER],
  ["torch._tensor", "Tensor"],
  ["torch._tensor", "_rebuild_from_type_v2 _rebuild_from_type", APPLIER],
  ["torch.serialization", "_get_layout", MAKER],
  [
    "torch.jit._pickle",
    `build_boollist build_doublelist build_intlist build_tensor_from_id build_tensorlist
      restore_type_tag`,
    MAKER,
  ],
  ["torch.nn.parameter", "Parameter Buffer UninitializedParameter UninitializedBuffer", MADE],
  ["torch.nn", "Parameter", MADE],
  ["torch.nn", "Module"],
  ["torch.nn.modules.module", "Module"],
  [
    "torch.nn.functional",
    "elu gelu leaky_relu mish relu relu6 sigmoid silu softmax tanh",
    FUNCTION,
  ],
  [
    "torch.nn.modules.container",
    "Sequential ModuleList ModuleDict ParameterList ParameterDict Container",
  ],
  [
    "torch.nn.modules.linear",
    "Linear Identity Bilinear LazyLinear NonDynamicallyQuantizableLinear",
  ],
  [
    "torch.nn.modules.conv",
    `Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d
    LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d`,
  ],
  [
    "torch.nn.modules.batchnorm",
    `BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm LazyBatchNorm1d LazyBatchNorm2d
    LazyBatchNorm3d`,
  ],
  [
    "torch.nn.modules.instancenorm",
    `InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d
    LazyInstanceNorm3d`,
  ],
  [
    "torch.nn.modules.normalization",
    "LayerNorm GroupNorm RMSNorm LocalResponseNorm CrossMapLRN2d",
  ],
  [
    "torch.nn.modules.activation",
    `ReLU ReLU6 RReLU Sigmoid Tanh Softmax Softmax2d LogSoftmax GELU SiLU Mish ELU SELU CELU GLU
    Hardswish Hardsigmoid Hardtanh Hardshrink LeakyReLU LogSigmoid PReLU Softplus Softshrink Softmin
    Softsign Tanhshrink Threshold MultiheadAttention`,
  ],
  [
    "torch.nn.modules.pooling",
    `MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d
    AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d
    MaxUnpool1d MaxUnpool2d MaxUnpool3d LPPool1d LPPool2d FractionalMaxPool2d FractionalMaxPool3d
    LPPool3d`,
  ],
  [
    "torch.nn.modules.dropout",
    "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout",
  ],
  ["torch.nn.modules.sparse", "Embedding EmbeddingBag"],
  ["torch.nn.modules.rnn", "RNN LSTM GRU RNNBase", { inertKeys: ["all_weights", "_all_weights"] }],
  ["torch.nn.modules.rnn", "RNNCell LSTMCell GRUCell"],
  [
    "torch.nn.modules.padding",
    `ZeroPad1d ZeroPad2d ZeroPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d
    ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d
    CircularPad1d CircularPad2d CircularPad3d`,
  ],
  ["torch.nn.modules.upsampling", "Upsample UpsamplingNearest2d UpsamplingBilinear2d"],
  ["torch.nn.modules.flatten", "Flatten Unflatten"],
  ["torch.nn.modules.fold", "Fold Unfold"],
  ["torch.nn.modules.pixelshuffle", "PixelShuffle PixelUnshuffle"],
  ["torch.nn.modules.channelshuffle", "ChannelShuffle"],
  ["torch.nn.modules.distance", "CosineSimilarity PairwiseDistance"],
  [
    "torch.nn.modules.transformer",
    `Transformer TransformerEncoder TransformerDecoder TransformerEncoderLayer
    TransformerDecoderLayer`,
  ],
  [
    "torch.nn.modules.loss",
    `CrossEntropyLoss BCELoss BCEWithLogitsLoss MSELoss L1Loss SmoothL1Loss HuberLoss NLLLoss
    KLDivLoss CTCLoss CosineEmbeddingLoss MarginRankingLoss TripletMarginLoss HingeEmbeddingLoss
    PoissonNLLLoss GaussianNLLLoss MultiMarginLoss MultiLabelMarginLoss SoftMarginLoss
    LinearCrossEntropyLoss MultiLabelSoftMarginLoss NLLLoss2d`,
  ],
  ["torch.nn.parallel.data_parallel", "DataParallel"],
  ["torch.nn.parallel.distributed", "DistributedDataParallel"],
  ["torch.nn.utils.weight_norm", "WeightNorm"],
  [
    "torch.nn.utils.spectral_norm",
    "SpectralNorm SpectralNormStateDictHook SpectralNormLoadStateDictPreHook",
  ],
  ["torch.nn.intrinsic.modules.fused", FUSED],
  ["torch.ao.nn.intrinsic.modules.fused", FUSED],
  ["torch.nn.quantized.modules.linear", "Linear LinearPackedParams"],
  ["torch.ao.nn.quantized.modules.linear", "Linear LinearPackedParams"],
  ["torch.ao.nn.quantized.modules.conv", "Conv1d Conv2d Conv3d"],
  ["torch.ao.nn.quantized.modules", "Quantize DeQuantize"],
  ["torch.optim.adam", "Adam"],
  ["torch.optim.adamw", "AdamW"],
  ["torch.optim.sgd", "SGD"],
  ["torch.optim.rmsprop", "RMSprop"],
  ["torch.optim.adagrad", "Adagrad"],
  [
    "torch.optim.lr_scheduler",
    `LambdaLR StepLR MultiStepLR CosineAnnealingLR ReduceLROnPlateau ConstantLR
    CosineAnnealingWarmRestarts ExponentialLR LinearLR OneCycleLR PolynomialLR`,
    BARE,
  ],
  ["torch.backends.cuda", "cuFFTPlanCache"],
  ["torch.distributed._tensor.placement_types", "Shard Replicate", MADE],
  ["torch.distributed.tensor", "Shard Replicate", MADE],
  ["torch.distributed.tensor", "DTensor DeviceMesh"],
  ["torch.torch_version", "TorchVersion", { call: ["text"] }],
  ["torch.utils.data.dataset", "TensorDataset Subset ConcatDataset"],
  [
    "torchvision.models.resnet",
    "ResNet BasicBlock Bottleneck",
  ],
  ["torchvision.models.vgg", "VGG"],
  ["torchvision.models.densenet", "DenseNet _DenseBlock _DenseLayer _Transition"],
  ["torchvision.models.mobilenetv2", "MobileNetV2 InvertedResidual"],
  [
    "torchvision.ops.misc",
    "Conv2dNormActivation ConvNormActivation SqueezeExcitation Permute",
  ],
  [
    "torchvision.transforms.transforms",
    `Compose ToTensor Normalize Resize CenterCrop RandomHorizontalFlip RandomResizedCrop RandomCrop
    ColorJitter RandomRotation Grayscale RandomVerticalFlip Pad RandomErasing ConvertImageDtype
    GaussianBlur RandomAffine RandomApply RandomChoice ToPILImage RandomGrayscale FiveCrop TenCrop`,
  ],
  [
    "torch.distributed.checkpoint.metadata",
    `MetadataIndex Metadata TensorStorageMetadata BytesStorageMetadata TensorProperties
    ChunkStorageMetadata StorageMeta`,
  ],
  ["torch.distributed.checkpoint.metadata", "_MEM_FORMAT_ENCODING", ENUM],
  ["torch.utils.data.sampler", "SequentialSampler BatchSampler RandomSampler"],
  ["torch.nn.modules.adaptive", "AdaptiveLogSoftmaxWithLoss"],
  ["torch.optim.asgd", "ASGD"],
  ["torch.optim.adadelta", "Adadelta"],
  ["torch.optim", "Adafactor Muon"],
  ["torch.optim.adamax", "Adamax"],
  ["torch.optim.nadam", "NAdam"],
  ["torch.optim.radam", "RAdam"],
  ["torch.optim.rprop", "Rprop"],
  ["torch.optim.sparse_adam", "SparseAdam"],
  [
    "torch.nn.utils.prune",
    "L1Unstructured RandomUnstructured RandomStructured LnStructured Identity",
  ],
  ["torch.ao.nn.quantized.dynamic.modules.linear", "Linear"],
  ["torch.ao.nn.quantized.dynamic.modules.rnn", "LSTM PackedParameter GRU"],
  ["torch.nn.utils.rnn", "PackedSequence", MADE],
  ["torch.optim.lbfgs", "LBFGS"],
  ["torch.distributed.checkpoint.filesystem", "_StorageInfo"],
  ["torchvision.models.alexnet", "AlexNet"],
  ["torchvision.models.convnext", "LayerNorm2d"],
  ["torchvision.ops.stochastic_depth", "StochasticDepth"],
  [
    "torchvision.models.segmentation.deeplabv3",
    "DeepLabV3 DeepLabHead ASPP ASPPConv ASPPPooling",
  ],
  ["torchvision.models._utils", "IntermediateLayerGetter"],
  ["torchvision.models.detection.faster_rcnn", "FasterRCNN TwoMLPHead FastRCNNPredictor"],
  ["torchvision.models.detection.transform", "GeneralizedRCNNTransform"],
  ["torchvision.ops.feature_pyramid_network", "LastLevelMaxPool LastLevelP6P7"],
  ["torchvision.models.detection.rpn", "RegionProposalNetwork RPNHead"],
  ["torchvision.models.detection.anchor_utils", "AnchorGenerator DefaultBoxGenerator"],
  [
    "torchvision.models.detection._utils",
    "BoxCoder Matcher BalancedPositiveNegativeSampler BoxLinearCoder SSDMatcher",
  ],
  ["torchvision.models.detection.roi_heads", "RoIHeads"],
  ["torchvision.ops.poolers", "MultiScaleRoIAlign"],
  ["torchvision.models.segmentation.fcn", "FCN FCNHead"],
  ["torchvision.models.detection.fcos", "FCOS FCOSHead"],
  ["torchvision.models.googlenet", "BasicConv2d"],
  ["torchvision.models.inception", "BasicConv2d"],
  [
    "torchvision.models.detection.keypoint_rcnn",
    "KeypointRCNN KeypointRCNNHeads KeypointRCNNPredictor",
  ],
  ["torchvision.models.segmentation.lraspp", "LRASPP LRASPPHead"],
  ["torchvision.models.detection.mask_rcnn", "MaskRCNN MaskRCNNPredictor"],
  [
    "torchvision.models.maxvit",
    "WindowPartition WindowDepartition RelativePositionalMultiHeadAttention SwapAxes",
  ],
  ["torchvision.models.mnasnet", "MNASNet _InvertedResidual"],
  ["torchvision.models.video.mvit", "PositionalEncoding Pool"],
  ["torchvision.models.video.resnet", "BasicStem Conv3DSimple"],
  [
    "torchvision.models.optical_flow.raft",
    "CorrBlock MotionEncoder RecurrentBlock ConvGRU FlowHead",
  ],
  ["torchvision.models.detection.retinanet", "RetinaNet"],
  ["torchvision.models.shufflenetv2", "InvertedResidual"],
  ["torchvision.models.squeezenet", "SqueezeNet Fire"],
  [
    "torchvision.models.detection.ssd",
    "SSD SSDFeatureExtractorVGG SSDHead SSDClassificationHead SSDRegressionHead",
  ],
  ["torchvision.models.video.swin_transformer", "ShiftedWindowAttention3d"],
  ["torchvision.models.swin_transformer", "ShiftedWindowAttention ShiftedWindowAttentionV2"],
  ["torchvision.transforms.functional", "InterpolationMode", ENUM],
  [
    "torchvision.transforms.autoaugment",
    "RandAugment AutoAugment TrivialAugmentWide",
  ],
  ["torchvision.transforms.autoaugment", "AutoAugmentPolicy", ENUM],
  ["torchvision.transforms.v2._geometry", "Resize RandomHorizontalFlip"],
  ["torchvision.transforms.v2._misc", "ToDtype Normalize"],
  ["torchvision.transforms.v2._type_conversion", "ToImage"],
];
