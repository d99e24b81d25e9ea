// The report of the public types: which declarations it follows, and which changes it shows.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiReport } from '../../scripts/api_report.mjs';

const files = {
  'index.d.ts': `/** The API. */
export type { Options } from './model/options.js';
export { Model, type Result as Answer } from './model/model.js';
//# sourceMappingURL=index.d.ts.map`,
  'model/options.d.ts': `import type { Range } from '../values/range.js';
/** With a comment. */
export interface Options {
    /** At most this many. */
    limit?: Range;
}
interface Unused {
    nothing: 1;
}
export {};`,
  'model/model.d.ts': `import type { Host } from '../host.js';
import type { Options } from './options.js';
declare const sizes: readonly ["s", "l"];
export type Size = (typeof sizes)[number];
export type Result = 
/** Of a size. */
Size | null;
export declare class Model {
    #private;
    /** @internal */
    constructor(host: Host, { size }: {
        size: Size;
    });
    private secret;
    run(options?: Options): Result;
    run(many: readonly Options[]): Result[];
}`,
  'values/range.d.ts': 'export type Range = readonly [number, number];',
  'host.d.ts': 'export type Host = 1;',
};
const reportOf = (changes = {}) => apiReport((path) => ({ ...files, ...changes })[path], ['index']);
const changed = (name, from, to) => {
  assert.ok(files[name].includes(from));
  return reportOf({ [name]: files[name].replace(from, to) });
};

describe('the report of the public types', () => {
  test('has the exported names, and every declaration that they lead to', () => {
    const report = reportOf();
    assert.match(report, /^index: Answer, Model, Options\n/);
    assert.deepEqual(
      [...report.matchAll(/^\/\/ (.*)$/gm)].map(([, title]) => title),
      [
        'model/model.d.ts Model',
        'model/model.d.ts Result',
        'model/model.d.ts Size',
        'model/model.d.ts sizes',
        'model/options.d.ts Options',
        'values/range.d.ts Range',
      ],
    );
    assert.match(report, /run\(options\?: Options\): Result;\n {4}run\(many/);
  });

  test('changes with a name, an option, a type far below, or an argument', () => {
    const report = reportOf();
    assert.notEqual(changed('index.d.ts', 'Result as Answer', 'Result as Reply'), report);
    assert.notEqual(changed('model/options.d.ts', 'limit?:', 'limit:'), report);
    assert.notEqual(changed('values/range.d.ts', 'number, number', 'number, bigint'), report);
    assert.notEqual(changed('model/model.d.ts', '"s", "l"', '"s"'), report);
    assert.notEqual(changed('model/model.d.ts', 'options?: Options', 'options: Options'), report);
  });

  test('does not change with comments and what is not for users', () => {
    const report = reportOf();
    assert.equal(changed('model/options.d.ts', 'At most this many.', 'The most.'), report);
    assert.equal(changed('model/options.d.ts', 'nothing: 1', 'nothing: 2'), report);
    assert.equal(changed('model/model.d.ts', 'host: Host, ', ''), report);
    assert.equal(changed('model/model.d.ts', 'private secret', 'private other'), report);
    assert.equal(changed('host.d.ts', '= 1', '= 2'), report);
  });

  test('refuses a statement that it cannot read', () => {
    assert.throws(
      () => reportOf({ 'host.d.ts': '', 'index.d.ts': "export * from './host.js';" }),
      /cannot read: export \*/,
    );
  });
});
