// The last page of the memory. `npm run soak` fills it in Chromium, too.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as library from '../../dist/index.js';
import { fillMemory } from '../lib/full_memory.mjs';

for (const threads of [1, 2])
  test(`a full memory keeps every bit, and is given back: ${threads} threads`, async () => {
    const { layers } = await fillMemory(library, { threads });
    assert.ok(layers > 20, `${layers} layers`);
  });
