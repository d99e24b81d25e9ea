/** The families that are loaded when one of them is first needed. Adding one takes one file and one line here. */

import type { Family } from '../plans/family.js';
import { albert } from './albert.js';
import { bart } from './bart.js';
import { bert } from './bert.js';
import { blenderbot, blenderbotSmall } from './blenderbot.js';
import { bloom } from './bloom.js';
import { clip } from './clip.js';
import { cohere, cohere2 } from './cohere.js';
import { debertaV2 } from './deberta_v2.js';
import { deit } from './deit.js';
import { dinov2, dinov2WithRegisters } from './dinov2.js';
import { dinov3Vit } from './dinov3_vit.js';
import { distilbert } from './distilbert.js';
import { electra } from './electra.js';
import { encoderDecoder, visionEncoderDecoder } from './encoder_decoder.js';
import { ernie45 } from './ernie4_5.js';
import { eurobert } from './eurobert.js';
import { falcon } from './falcon.js';
import { gemma } from './gemma.js';
import { gemma2 } from './gemma2.js';
import { gemma3 } from './gemma3.js';
import { gptBigcode } from './gpt_bigcode.js';
import { gptNeo } from './gpt_neo.js';
import { gptNeox } from './gpt_neox.js';
import { gpt2 } from './gpt2.js';
import { codegen, gptj } from './gptj.js';
import { granite } from './granite.js';
import { hunyuanDense } from './hunyuan.js';
import { llama } from './llama.js';
import { m2m100 } from './m2m_100.js';
import { marianStudent } from './marian_student.js';
import { mbart } from './mbart.js';
import { mistral } from './mistral.js';
import { modernbert, modernbertDecoder } from './modernbert.js';
import { moonshine } from './moonshine.js';
import { mpnet } from './mpnet.js';
import { mpt } from './mpt.js';
import { nomicBert } from './nomic_bert.js';
import { exaone4, olmo2, olmo3 } from './olmo2.js';
import { opt } from './opt.js';
import { pegasus } from './pegasus.js';
import { phi } from './phi.js';
import { phi3 } from './phi3.js';
import { qwen2, qwen3 } from './qwen2.js';
import { recurrent } from './recurrent.js';
import { camembert, roberta, xlmRoberta } from './roberta.js';
import { siglip, siglip2 } from './siglip.js';
import { smollm3 } from './smollm3.js';
import { stablelm } from './stablelm.js';
import { starcoder2 } from './starcoder2.js';
import { mt5, t5, umt5 } from './t5.js';
import { t5gemma } from './t5gemma.js';
import { vit } from './vit.js';
import { whisper } from './whisper.js';

export { otherTokenizers } from './other_tokenizers.js';

export const otherFamilies: readonly Family[] = [
  t5,
  mt5,
  umt5,
  t5gemma,
  bart,
  mbart,
  m2m100,
  pegasus,
  blenderbot,
  blenderbotSmall,
  encoderDecoder,
  visionEncoderDecoder,
  bert,
  roberta,
  xlmRoberta,
  camembert,
  distilbert,
  albert,
  electra,
  mpnet,
  debertaV2,
  modernbert,
  modernbertDecoder,
  nomicBert,
  eurobert,
  gpt2,
  gptNeo,
  gptNeox,
  opt,
  phi,
  llama,
  mistral,
  qwen2,
  qwen3,
  gemma,
  gemma2,
  gemma3,
  smollm3,
  granite,
  olmo2,
  olmo3,
  exaone4,
  cohere,
  cohere2,
  ernie45,
  falcon,
  gptBigcode,
  codegen,
  gptj,
  hunyuanDense,
  mpt,
  stablelm,
  starcoder2,
  phi3,
  bloom,
  vit,
  deit,
  dinov2,
  dinov2WithRegisters,
  dinov3Vit,
  clip,
  siglip,
  siglip2,
  whisper,
  moonshine,
  recurrent,
  marianStudent,
];
