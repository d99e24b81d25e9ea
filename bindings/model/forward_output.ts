/** What comes out of a pass, as the caller gets it. */

import { asTensor, type Tensor, type TensorData } from '../engine/tensor.js';
import { hasDecoder, hasEncoder, type Loaded } from './loaded.js';
import type { Trace } from './places.js';
import { type Shifts, turnedBack } from './shift.js';

/** What came out. Entries that the model does not have, or that were not asked for, are missing. */
export interface ForwardOutput {
  /**
   * `[batch, time, vocabulary]`: scores of each token's successor, or of a masked word; [batch, labels] of a classifier.
   */
  logits?: Tensor;
  /** [batch, time, dModel], of an encoder alone and of a model without output projection. */
  lastHiddenState?: Tensor;
  /** [batch, dModel], of an encoder with a pooler. */
  poolerOutput?: Tensor;
  /** [batch, source, dModel] */
  encoderLastHiddenState?: Tensor;
  /** [batch, heads, source, source] */
  encoderAttentions?: Tensor[];
  /** [batch, heads, time, time] */
  decoderAttentions?: Tensor[];
  /** [batch, heads, time, source] */
  crossAttentions?: Tensor[];
  /** [batch, source, dModel] each: what goes into the first layer, then what each gives, the last after the final norm */
  encoderHiddenStates?: Tensor[];
  /** [batch, time, dModel] each */
  decoderHiddenStates?: Tensor[];
  /** Of a model with one stack: [batch, heads, time, time]. */
  attentions?: Tensor[];
  /** Of a model with one stack: [batch, time, dModel] each. */
  hiddenStates?: Tensor[];
  /** The traced tensors by their paths, as they were asked for. */
  trace?: Record<string, Tensor>;
}

/** As the engine gives it. */
export interface EngineOutput {
  readonly output?: TensorData;
  readonly logits?: TensorData;
  readonly poolerOutput?: TensorData;
  readonly encoderOutput?: TensorData;
  readonly encoderAttentions?: TensorData[];
  readonly decoderAttentions?: TensorData[];
  readonly crossAttentions?: TensorData[];
  readonly encoderHiddenStates?: TensorData[];
  readonly decoderHiddenStates?: TensorData[];
  readonly trace?: Readonly<Record<string, TensorData>>;
}

/** Where the last hidden state is that before the last norm, what the engine has to be asked for it. */
export function lastStates({ plan }: Loaded): string[] {
  return plan.statesBeforeNorm ? [`encoder.layers.${plan.engine.numEncoderLayers - 1}.output`] : [];
}

type AllShifts = { readonly source: Shifts; readonly target: Shifts };

export function collect(
  model: Loaded,
  output: EngineOutput,
  shifts: AllShifts,
  trace: Trace | undefined,
): ForwardOutput {
  const one = (path: string, tensor: TensorData | undefined) =>
    tensor && asTensor(placed(path, tensor, shifts));
  const list = (path: string, tensors: TensorData[] | undefined) =>
    tensors?.map((tensor) => asTensor(placed(path, tensor, shifts)));
  const encodes = hasEncoder(model);
  const stack = hasDecoder(model) ? 'decoder' : 'encoder';
  const isOfWhole = output.logits?.shape.length === 2;
  const both = {
    logits: isOfWhole ? output.logits && asTensor(output.logits) : one(`${stack}.output`, output.logits),
    lastHiddenState: one(`${stack}.output`, output.output),
    poolerOutput: output.poolerOutput && asTensor(output.poolerOutput),
    trace:
      trace && tracedBy(trace, output.trace ?? {}, (path, tensor) => asTensor(placed(path, tensor, shifts))),
  };
  const encoderAttentions = list('encoder.weights', output.encoderAttentions);
  const decoderAttentions = list('decoder.weights', output.decoderAttentions);
  const encoderHiddenStates = list('encoder.output', statesOf(model, output));
  const decoderHiddenStates = list('decoder.output', output.decoderHiddenStates);
  if (!encodes || !hasDecoder(model)) {
    const attentions = encoderAttentions ?? decoderAttentions;
    return present({ ...both, attentions, hiddenStates: encoderHiddenStates ?? decoderHiddenStates });
  }
  return present({
    ...both,
    encoderLastHiddenState: one('encoder.output', output.encoderOutput),
    encoderAttentions,
    decoderAttentions,
    crossAttentions: list('decoder.cross_attn.weights', output.crossAttentions),
    encoderHiddenStates,
    decoderHiddenStates,
  });
}

function statesOf(
  model: Loaded,
  { encoderHiddenStates: states, trace }: EngineOutput,
): TensorData[] | undefined {
  const last = states && trace?.[lastStates(model)[0] ?? ''];
  return last ? [...states.slice(0, -1), last] : states;
}

function tracedBy(
  trace: Trace,
  tensors: Readonly<Record<string, TensorData>>,
  make: (path: string, tensor: TensorData) => Tensor,
): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(tensors).flatMap(([path, tensor]) =>
      trace.namesOf(path).map((name) => [name, make(path, tensor)]),
    ),
  );
}

/** A tensor of a path with its axes of time turned back to where the caller's tokens stand. */
function placed(path: string, tensor: TensorData, { source, target }: AllShifts): TensorData {
  const [own, memory] = path.startsWith('encoder.') ? [source, source] : [target, source];
  const keys = path.includes('cross_attn') ? memory : own;
  if (/(weights|scores)$/.test(path)) return turnedBack(turnedBack(tensor, 2, own), 3, keys);
  return turnedBack(tensor, 1, /\.(keys|values)$/.test(path) ? keys : own);
}

/** Without the entries that are not there. */
function present(output: { [name in keyof ForwardOutput]: ForwardOutput[name] | undefined }): ForwardOutput {
  return Object.fromEntries(Object.entries(output).filter(([, value]) => value !== undefined));
}
