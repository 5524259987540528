import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ALLOWED_AGGREGATES, ALLOWED_FUNCTIONS } from '../../libs/usage/sql-metrics/allow-list.js';
import { checkSql } from '../../libs/usage/sql-metrics/check-sql.js';

const text = await readFile(join(import.meta.dirname, '../../docs/sql-metrics.md'), 'utf8');
const examples = [...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql!);

it('has examples that a metric may have', async () => {
  expect(examples).toHaveLength(3);
  for (const sql of examples) expect(await checkSql(sql)).toHaveProperty('statement');
});

it('names every function that there is', () => {
  const listed = (what: string): string[] =>
    new RegExp(`- ${what}: \`([^\`]*)\``).exec(text)![1]!.split(/\s+/).sort();
  const synonyms = ['ceiling', 'char_length'];
  expect(listed('aggregates')).toEqual([...ALLOWED_AGGREGATES].sort());
  expect(listed('functions')).toEqual(
    [...ALLOWED_FUNCTIONS].filter((name) => !synonyms.includes(name)).sort(),
  );
});
