/** In place of training.ts where the page is a single file, which does not carry the module that trains. */

import type { loadTraining as LoadTraining } from './training.js';

export const canTrain = false;

export const loadTraining: typeof LoadTraining = () => Promise.reject(new Error('nothing here trains'));
