import { type AllowedNames, BARE, ENUM } from "./uses.ts";

/**
 * Training arguments, whose constructors read files and the environment, and detection models that are
 * pickled whole.
 */
export const TRAINING_NAMES: readonly AllowedNames[] = [
  ["transformers.training_args", "TrainingArguments", BARE],
  ["transformers.training_args", "OptimizerNames ParallelMode", ENUM],
  ["transformers.training_args_seq2seq", "Seq2SeqTrainingArguments", BARE],
  [
    "transformers.trainer_utils",
    `IntervalStrategy EvaluationStrategy SchedulerType HubStrategy SaveStrategy FSDPOption
    ShardedDDPOption`,
    ENUM,
  ],
  ["transformers.trainer_pt_utils", "AcceleratorConfig"],
  ["transformers.debug_utils", "DebugOption", ENUM],
  [
    "transformers.integrations.deepspeed",
    "HfTrainerDeepSpeedConfig HfDeepSpeedConfig",
    BARE,
  ],
  ["transformers.deepspeed", "HfTrainerDeepSpeedConfig HfDeepSpeedConfig", BARE],
  ["transformers.generation.configuration_utils", "GenerationConfig"],
  ["accelerate.state", "PartialState AcceleratorState", BARE],
  [
    "accelerate.utils.dataclasses",
    "DeepSpeedPlugin FullyShardedDataParallelPlugin DataLoaderConfiguration",
    BARE,
  ],
  ["accelerate.utils.dataclasses", "DistributedType DynamoBackend", ENUM],
  ["accelerate.utils.deepspeed", "HfDeepSpeedConfig", BARE],
  ["trl.trainer.sft_config", "SFTConfig", BARE],
  ["trl.trainer.dpo_config", "DPOConfig", BARE],
  ["trl.trainer.dpo_config", "FDivergenceType", ENUM],
  ["trl.trainer.grpo_config", "GRPOConfig", BARE],
  ["trl.trainer.orpo_config", "ORPOConfig", BARE],
  ["trl.trainer.kto_config", "KTOConfig", BARE],
  ["trl.trainer.ppo_config", "PPOConfig", BARE],
  ["trl.trainer.reward_config", "RewardConfig", BARE],
  [
    "ultralytics.nn.tasks",
    `BaseModel DetectionModel SegmentationModel PoseModel ClassificationModel OBBModel WorldModel
    RTDETRDetectionModel Ensemble`,
    BARE,
  ],
  [
    "ultralytics.nn.modules.conv",
    `Conv Conv2 LightConv DWConv DWConvTranspose2d ConvTranspose Focus GhostConv ChannelAttention
    SpatialAttention CBAM Concat RepConv Index`,
  ],
  [
    "ultralytics.nn.modules.block",
    `DFL HGBlock HGStem SPP SPPF C1 C2 C3 C2f C2fAttn C3x C3TR C3Ghost GhostBottleneck Bottleneck
    BottleneckCSP Proto RepC3 ResNetLayer ResNetBlock C3k2 C3k C2PSA PSABlock Attention PSA SCDown
    RepVGGDW CIB C2fCIB A2C2f ABlock AAttn C2fPSA`,
  ],
  [
    "ultralytics.nn.modules.head",
    "Detect Segment Pose Classify OBB RTDETRDecoder WorldDetect v10Detect YOLOEDetect",
  ],
  ["ultralytics.nn.modules", "Conv C2f SPPF Bottleneck Concat Detect DFL Segment Proto"],
  ["ultralytics.utils", "IterableSimpleNamespace", { call: [] }],
  ["ultralytics.yolo.utils", "IterableSimpleNamespace", { call: [] }],
  ["ultralytics.utils.loss", "v8DetectionLoss BboxLoss"],
  ["ultralytics.utils.tal", "TaskAlignedAssigner"],
  ["models.yolo", "Model Detect DetectionModel", BARE],
  ["models.common", "Conv C3 Bottleneck SPP SPPF Focus Concat"],
];
