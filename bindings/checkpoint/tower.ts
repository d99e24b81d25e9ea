/** The encoder of pictures beside one of texts: its transformer, and what compares the two. */

import type { Handle, Host } from '../engine/host.js';
import type { AttentionPool, Plan, TowerPlan } from '../plans/family.js';
import { fail } from '../values/errors.js';
import { checkShape, type FrontEnd } from './front_end.js';

/** The layers of an attention pool. */
export interface Pool {
  readonly config: AttentionPool;
  readonly attention: Handle<'MultiHeadAttention'>;
  readonly feedForward: Handle<'FeedForward'>;
  /** The learned query [dModel]. */
  readonly probe: Float32Array;
  /** Of the norm before the feed-forward layer, [dModel] each. */
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

export interface Tower {
  readonly plan: TowerPlan;
  readonly handle: Handle<'Transformer'>;
  readonly frontEnd: FrontEnd;
  readonly pool: Pool | null;
  /** The logit of a pair is scale * cos(picture, text) + bias. */
  readonly scale: number;
  readonly bias: number;
  /** All that is to be released. */
  readonly handles: readonly Handle[];
}

/** @throws TransformerError `bad_checkpoint` */
export async function makeTower(
  host: Host,
  weights: Handle<'Weights'>,
  plan: Plan,
  frontEnd: FrontEnd | null,
): Promise<Tower> {
  const { tower } = plan;
  if (!tower || !frontEnd) return fail('internal', 'there is no encoder of pictures');
  const take = async (name: string, shape: number[]) => {
    checkShape(name, shape, plan);
    return (await host.invoke(weights, 'take', name, shape)).data;
  };
  const handles: Handle[] = [];
  try {
    const [scale = 0] = await take('contrast.scale', [1]);
    const [bias = 0] = tower.isSigmoid ? await take('contrast.bias', [1]) : [];
    const pool = tower.pool
      ? await makePool(host, weights, { plan, config: tower.pool, take, handles })
      : null;
    const handle = await host.create('Transformer', tower.model, weights);
    handles.push(handle);
    handles.push(...frontEnd.layers.values());
    return { plan: tower, handle, frontEnd, pool, scale: Math.exp(scale), bias, handles };
  } catch (error) {
    await Promise.all(handles.map((handle) => host.release(handle)));
    throw error;
  }
}

interface PoolSource {
  readonly plan: Plan;
  readonly config: AttentionPool;
  readonly take: (name: string, shape: number[]) => Promise<Float32Array>;
  /** What has been made is added to it. */
  readonly handles: Handle[];
}

async function makePool(
  host: Host,
  weights: Handle<'Weights'>,
  { plan, config, take, handles }: PoolSource,
): Promise<Pool> {
  const { dModel, dFf, numHeads, activation } = config;
  const probe = await take('pool.probe', [dModel]);
  const [weight, bias] = [await take('pool.norm.weight', [dModel]), await take('pool.norm.bias', [dModel])];
  /** A standalone layer looks up its weights without a prefix. */
  const expose = async (names: Readonly<Record<string, readonly [rows: number, columns: number]>>) => {
    for (const [name, [rows, columns]] of Object.entries(names))
      for (const [part, shape] of [['weight', [rows, columns]] as const, ['bias', [rows]] as const]) {
        checkShape(`pool.${name}.${part}`, shape, plan);
        await host.invoke(weights, 'rename', `pool.${name}.${part}`, `${name}.${part}`);
      }
  };
  const square = [dModel, dModel] as const;
  await expose({ q_proj: square, k_proj: square, v_proj: square, out_proj: square });
  const attention = await host.create('MultiHeadAttention', { dModel, numHeads }, weights);
  handles.push(attention);
  await expose({ fc1: [dFf, dModel], fc2: [dModel, dFf] });
  const feedForward = await host.create('FeedForward', { dModel, dFf, activation }, weights);
  handles.push(feedForward);
  return { config, attention, feedForward, probe, weight, bias };
}
