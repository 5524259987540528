import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { settingSpecs } from '#libs/kernel/system';

const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');

it('docs/operating.md lists every setting with its default and its description', () => {
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (?:`([^`]*)`|–) +\| (.*?) +\|$/gm)].map(
    ([, name, fallback, description]) => ({ name, fallback, description }),
  );
  expect(rows).toEqual(
    Object.values(settingSpecs).map(({ name, fallback, description }) => ({ name, fallback, description })),
  );
});
