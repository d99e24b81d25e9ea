// The rows of the matrix that take seconds; `npm run matrix` has the others.

import { after, before, test } from 'node:test';
import { rows, runRow } from '../index.mjs';
import { openWorkshop } from '../project.mjs';

let workshop;
before(async () => {
  workshop = await openWorkshop();
});
after(() => workshop.close());

for (const row of Object.values(rows).filter(({ quick }) => quick))
  test(row.title, () => runRow(workshop, row));
