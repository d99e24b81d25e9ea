/** Labels of a classifier, and their probabilities. */

import type { JsonObject } from '../files/json_object.js';
import { isJsonObject } from '../files/json_object.js';

/** A label and its probability. */
export interface LabelScore {
  label: string;
  score: number;
}

/** Names of the classes, as config.json gives them, or else `LABEL_0`, `LABEL_1`, .... */
export function labelsOf({ id2label }: JsonObject, count: number): string[] {
  const named = isJsonObject(id2label) ? id2label : {};
  return Array.from({ length: count }, (_, i) => {
    const label = named[`${i}`];
    return typeof label === 'string' ? label : `LABEL_${i}`;
  });
}

/** Probabilities of classes of which exactly one applies. */
export function softmax(logits: ArrayLike<number>): number[] {
  const values = Array.from(logits);
  const largest = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const powers = values.map((value) => Math.exp(value - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** Probabilities of classes that apply independently of each other. */
export const sigmoid = (logits: ArrayLike<number>) =>
  Array.from(logits, (logit) => 1 / (1 + Math.exp(-logit)));

/** The indices of the largest scores, best first; of equal ones the first. */
export function largest(scores: ArrayLike<number>, count: number): number[] {
  const score = (i: number) => scores[i] ?? Number.NEGATIVE_INFINITY;
  return Array.from(scores, (_, i) => i)
    .sort((a, b) => score(b) - score(a) || a - b)
    .slice(0, count);
}

/** The labels with the largest scores, best first. */
export function ranked(labels: readonly string[], scores: readonly number[], count: number): LabelScore[] {
  return largest(scores, count).map((i) => ({ label: labels[i] ?? `LABEL_${i}`, score: scores[i] ?? 0 }));
}
