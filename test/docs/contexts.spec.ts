import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The names in the first column of the table below the heading "The contexts" of docs/architecture.md. */
function listedContexts(): string[] {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, section] = /^### The contexts\n([\s\S]*?)^#/m.exec(text)!;
  return [...section!.matchAll(/^\| `([\w-]+)` +\|/gm)].map(([, name]) => name!);
}

it('has one row in the table of contexts for each context folder, and no other row', () => {
  const folders = readdirSync(join(root, 'libs/contexts'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(listedContexts().sort()).toEqual(folders.sort());
});
