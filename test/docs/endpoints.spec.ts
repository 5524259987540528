import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { openApiDocumentWithoutDatabases } from '#apps/api';
import { loadSettings } from '#libs/kernel/system';
import { SUBSCRIPTION_STATUSES } from '#libs/contexts/subscriptions';

const root = join(import.meta.dirname, '../..');
// The one is about what is not there, and the decisions are about what was there then.
const exclude = ['docs/decisions.md'];
const pages = globSync(['README.md', 'docs/*.md'], { cwd: root, exclude });
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

/** The methods of each path, with `{}` for whatever is in its place. */
let methods: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  const { paths } = await openApiDocumentWithoutDatabases(loadSettings({}));
  methods = new Map([
    ...Object.entries(paths).map(([path, all]) => [withoutNames(path), Object.keys(all)] as const),
    // The document itself is not in the document.
    ['/v1/openapi.json', ['get']],
  ]);
});

function withoutNames(path: string): string {
  return path.replaceAll(/\{\w+\}|:\w+/g, '{}');
}

describe.each(pages)('%s', (page) => {
  it('names no endpoint that there is not', () => {
    const text = read(page).replaceAll(/^```[\s\S]*?^```$/gm, '');
    const named = [...text.matchAll(/`(?:(GET|POST|PUT|PATCH|DELETE) )?(\/v1\/[^`…?]+)(?:\?[^`]*)?`/g)];
    const wrong = named.filter(([, method, path]) => {
      const known = methods.get(withoutNames(path!));
      return known === undefined || (method !== undefined && !known.includes(method.toLowerCase()));
    });
    expect(wrong.map(([name]) => name)).toEqual([]);
  });
});

it('docs/subscriptions.md says what each status means', () => {
  const section = read('docs/subscriptions.md').split('\n## Status\n')[1]!.split('\n## ')[0]!;
  expect([...section.matchAll(/^\| `(\w+)` +\|/gm)].map(([, status]) => status)).toEqual(
    SUBSCRIPTION_STATUSES,
  );
});
