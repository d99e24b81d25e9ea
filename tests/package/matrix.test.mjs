// The rows of the matrix that take seconds; `npm run matrix` has the others.

import { after, before, test } from 'node:test';
import { openWorkshop } from '../../scripts/matrix/project.mjs';
import { rows, runRow } from '../../scripts/matrix.mjs';

let workshop;
before(async () => {
  workshop = await openWorkshop();
});
after(() => workshop.close());

for (const row of Object.values(rows).filter(({ quick }) => quick))
  test(row.title, () => runRow(workshop, row));
