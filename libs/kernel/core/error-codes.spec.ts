import { expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotFound } from './errors.js';

const root = join(import.meta.dirname, '../../..');
/** The files with codes of EN 16931 and its code lists, which are not our error codes. */
const FOREIGN = join('libs', 'outputs', 'documents', 'e-invoice');

/** The places of codes other than an error's first argument: a field, the last argument of `field`, and next to a status. */
const WRITTEN = [
  /\bcode: '([^']*)'/g,
  /InvalidRequest\.field\((?:(?!\);).)*,\s*'([^' ]*)',?\s*\);/gs,
  /^ {2}[45]\d{2}: '([^']*)',$/gm,
];
/** The places with the name of a resource that can be missing. Its code is made from this name. */
const NAMED = [/NotFound\.of\(\s*'([^']*)'/g, /\bresource: '([^']*)'/g];

it('is in snake_case for all errors', () => {
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
  // One code of each form. A search that misses a form would not find its wrong codes.
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
