import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['*.md', 'docs/**/*.md', 'libs/**/README.md', 'test/*/README.md'], { cwd: root });

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^```.*\n[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it.each(pages)('%s links to nothing that there is not', (page) => {
  const links = [
    ...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g),
  ];
  const dead = links.filter(([, path = '', anchor]) => {
    const file = path === '' ? join(root, page) : join(root, dirname(page), path);
    if (!existsSync(file)) return true;
    return anchor !== undefined && !anchorsOf(file).includes(anchor);
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});
