import { expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotFound } from './errors.js';

const root = join(import.meta.dirname, '../../..');
/** Codes of EN 16931 and of its code lists, which are none of ours. */
const FOREIGN = join('libs', 'outputs', 'documents', 'e-invoice');

/** Where else a code stands but as an error's first argument: as a field, as the last argument of `field`, by a status. */
const WRITTEN = [
  /\bcode: '([^']*)'/g,
  /InvalidRequest\.field\((?:(?!\);).)*,\s*'([^' ]*)',?\s*\);/gs,
  /^ {2}[45]\d{2}: '([^']*)',$/gm,
];
/** Where a thing is named that may not be there; its code is made of that name. */
const NAMED = [/NotFound\.of\(\s*'([^']*)'/g, /\bresource: '([^']*)'/g];

it('is snake_case, whatever is refused', () => {
  const sources = globSync('{apps,libs,projections}/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.spec.ts') && !file.startsWith(FOREIGN))
    .map((file) => readFileSync(join(root, file), 'utf8'));
  const found = (pattern: RegExp) =>
    sources.flatMap((source) => [...source.matchAll(pattern)].map(([, text]) => text!));
  const errors = ['AppError'];
  for (const base of errors) errors.push(...found(new RegExp(`class (\\w+) extends ${base}\\b`, 'g')));
  const codes = new Set([
    ...found(new RegExp(`(?:new (?:${errors.join('|')})|super)\\(\\s*'([^' ]*)',`, 'g')),
    ...WRITTEN.flatMap(found),
    ...NAMED.flatMap(found).map((resource) => NotFound.of(resource, 'x').code),
  ]);
  // One of each way to write a code: a search that misses it finds no wrong one either.
  expect([...codes]).toEqual(
    expect.arrayContaining([
      'permission_denied',
      'rate_limited',
      'missing_field',
      'password_blank',
      'bad_request',
      'plan_not_found',
    ]),
  );
  expect([...codes].filter((code) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(code))).toEqual([]);
});
