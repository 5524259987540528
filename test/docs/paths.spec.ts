import { expect, it } from '@jest/globals';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['README.md', 'docs/**/*.md', 'libs/**/README.md', 'test/*/README.md'], { cwd: root });

/** A path from the root, from `libs`, or from the page's own folder: with a slash, and nothing that stands for something else. */
const PATH = /`((?:[\w.-]+\/)+[\w.-]*)`/g;
/** Where a page's paths begin that are none of ours: media types, data folders, packages. */
const FOREIGN = /^(application|text|image|node_modules|dist|DATA_DIR|v1)\//;

/** Whether a page may call something by this path. */
function isThere(path: string, page: string): boolean {
  return ['', 'libs', dirname(page)].some((base) => existsSync(join(root, base, path)));
}

it.each(pages)('%s names no file or folder that there is not', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const named = [...text.matchAll(PATH)].map(([, path]) => path!).filter((path) => !FOREIGN.test(path));
  expect(named.filter((path) => !isThere(path, page))).toEqual([]);
});

/** The name of a source file without its folder. */
const FILE = /`(\w[\w.-]*\.(?:ts|mjs))`/g;
const files = new Set(
  globSync(['*.mjs', '{apps,libs,projections,test}/**/*.{ts,mjs}'], { cwd: root }).map((path) =>
    basename(path),
  ),
);

it.each(pages)('%s names no source file that there is not', (page) => {
  const named = [...readFileSync(join(root, page), 'utf8').matchAll(FILE)].map(([, name]) => name!);
  expect(named.filter((name) => !files.has(name))).toEqual([]);
});
