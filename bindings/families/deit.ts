/** DeiT (Touvron et al. 2021): ViT with a distillation token beside the class token. */

import type { Family } from '../plans/family.js';
import { kinds } from '../tokenizers/kinds.js';
import { planVit, vitDefaults } from './vit.js';

export const deit: Family = {
  modelTypes: ['deit'],
  tokenizer: kinds.onlyJson,
  defaults: vitDefaults,
  plan: (config, shapes) => planVit(config, shapes, 'DeiT'),
};
