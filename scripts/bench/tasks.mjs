// The tasks of a benchmark process or page.

import { firstToken } from './first_token.mjs';
import { measure } from './measure.mjs';

export const tasks = { measure, firstToken };
