import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '#libs/kernel/core';
import { startUsage } from '../../../test/support/usage.js';
import { readProperties } from '../ingest/properties.js';
import { createContribution, propertyReader, scalarText, type Properties } from './contribution.js';

let world: Awaited<ReturnType<typeof startUsage>>;

beforeAll(async () => (world = await startUsage()));
afterAll(async () => world?.stop());

const segment = fc.constantFrom(
  'a',
  'b',
  'length',
  '0',
  '1',
  '-1',
  '-2',
  '01',
  '+1',
  ' 1',
  '1 ',
  '-0',
  '1e0',
  '',
);
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(String),
  fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?$/),
);
const text = fc.oneof(
  fc.constantFrom(
    '',
    '1',
    '01',
    '1.50',
    '.5',
    '5.',
    '+5',
    '1e3',
    '1E-99',
    '1e100',
    ' 1',
    '1\n',
    'NaN',
    'Infinity',
    'x',
    '٣',
    '0x1',
  ),
  number,
);
const scalar = fc.oneof(
  text.map((one) => JSON.stringify(one)),
  number,
  fc.constantFrom('true', 'false', 'null'),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join()}]`),
    fc.dictionary(segment, tie('value'), { maxKeys: 3 }).map(objectText),
  ),
}));
const path = fc
  .array(
    segment.filter((one) => one !== ''),
    { minLength: 1, maxLength: 3 },
  )
  .map((all) => all.join('.'));

it('is the same for this process and for the database, for any properties and paths', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          fc.dictionary(fc.oneof(segment, path), value, { minKeys: 1, maxKeys: 4 }).map(objectText),
          path,
        ),
        {
          minLength: 200,
          maxLength: 200,
        },
      ),
      async (cases) => {
        const read = cases.flatMap(([json, at]) => {
          const found = readProperties(parseJson(json));
          return 'json' in found ? [{ json: found.json, at }] : [];
        });
        const { rows } = await world.usage.pool.query<{ text: string | null; number: string | null }>(
          `SELECT usage.scalar_text(p) AS text, usage.numeric_value(p)::text AS number
           FROM unnest($1::jsonb[], $2::text[]) WITH ORDINALITY AS c (properties, path, n)
           CROSS JOIN LATERAL (SELECT usage.property(properties, path, string_to_array(path, '.')) AS p) q ORDER BY n`,
          [read.map(({ json }) => json), read.map(({ at }) => at)],
        );
        rows.forEach(({ text: inText, number: inNumber }, i) => {
          const { json, at } = read[i]!;
          const properties = parseJson(json) as Properties;
          const sum = createContribution({ type: 'sum', property: at })(properties);
          const own = {
            text: scalarText(propertyReader(at)(properties)) ?? null,
            counts: sum.kind === 'counted',
          };
          expect({ json, at, ...own }).toEqual({ json, at, text: inText, counts: inNumber !== null });
        });
      },
    ),
    { numRuns: 40 },
  );
}, 120_000);

function objectText(fields: Record<string, string>): string {
  return `{${Object.entries(fields)
    .map(([name, inner]) => `${JSON.stringify(name)}:${inner}`)
    .join()}}`;
}
