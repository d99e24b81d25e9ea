// The process that measures in Node.js; started by places.mjs with the options as JSON.

import ort from 'onnxruntime-web';
import * as ours from '../../dist/index.js';
import { measure } from './measure.mjs';

const packages = { ...ours, ort };
await measure({ ...JSON.parse(process.argv[2]), packages, report: (row) => process.send(row) });
process.exit(0); // onnxruntime-web leaves its threads running
