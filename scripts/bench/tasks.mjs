// What a process or page can be asked to measure.

import { firstToken } from './first_token.mjs';
import { measure } from './measure.mjs';

export const tasks = { measure, firstToken };
