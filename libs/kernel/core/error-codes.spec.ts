import { describe, expect, it } from '@jest/globals';
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

/** The status of each class of errors, as docs/clients.md lists them. */
const STATUS_OF_CLASS: Readonly<Record<string, number>> = {
  InvalidRequest: 400,
  Unauthenticated: 401,
  Forbidden: 403,
  NotFound: 404,
  Conflict: 409,
  StateConflict: 409,
  TooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  Unavailable: 503,
};

describe('the status of an error', () => {
  const sources = globSync('{apps,libs,projections}/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.spec.ts') && !file.startsWith(FOREIGN))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);

  it('is one for each code', () => {
    const statuses = new Map<string, Map<number, string>>();
    const note = (code: string, status: number, file: string): void => {
      const known = statuses.get(code) ?? new Map<number, string>();
      statuses.set(code, known.set(status, file));
    };
    const made = new RegExp(`new (${Object.keys(STATUS_OF_CLASS).join('|')})\\(\\s*'([a-z0-9_]+)'`, 'g');
    for (const [file, source] of sources) {
      for (const [, name, code] of source.matchAll(made)) note(code!, STATUS_OF_CLASS[name!]!, file);
      for (const [, code] of source.matchAll(WRITTEN[1]!)) note(code!, 400, file);
    }
    expect(statuses.size).toBeGreaterThan(150);
    const several = [...statuses].filter(([, known]) => known.size > 1);
    expect(several.map(([code, known]) => [code, Object.fromEntries(known)])).toEqual([]);
  });

  it('is 400 only if the request is wrong, and 409 if the state refuses it', () => {
    // What ended, began, is used up or is in progress is a state. The API contract names 400 for paying a paid or a void invoice.
    const state =
      /^already_|^not_(?!found|creditable)|_(in_progress|used_up|void|canceled|paused|expired|inactive|only|meanwhile|limit_reached)$/;
    const ofContract = ['invoice_already_paid', 'invoice_void'];
    const wrong = sources.flatMap(([file, source]) =>
      [...source.matchAll(/new InvalidRequest\(\s*'([a-z0-9_]+)'/g)]
        .map(([, code]) => code!)
        .filter((code) => state.test(code) && !ofContract.includes(code))
        .map((code) => `${file}: ${code}`),
    );
    expect(wrong).toEqual([]);
  });

  it('is listed in the docs with what it means', () => {
    const docs = readFileSync(join(root, 'docs/clients.md'), 'utf8');
    const listed = [...docs.matchAll(/^\| `(\d{3})` +\|/gm)].map(([, status]) => Number(status));
    expect(listed).toEqual(expect.arrayContaining([...new Set(Object.values(STATUS_OF_CLASS))]));
  });
});
