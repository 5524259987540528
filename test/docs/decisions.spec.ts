import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const pages = globSync('docs/decisions/*.md', { cwd: root }).map((path) => ({
  topic: basename(path, '.md'),
  /** The text of each record, which begins with its name. */
  records: read(path).split(/^## /m).slice(1),
}));

/** A record's name and title, such as `streams-3. Personal data is encrypted`. */
const HEADING = /^([a-z-]+)-(\d+)\. \S.*$/m;
const nameOf = (record: string) => record.slice(0, record.indexOf('. '));
/** How other pages and comments refer to a record: "decision streams-3". */
const REFERENCE = /\bdecisions? `?((?:[a-z]+-)*\d+)\b/gi;

/** A few sentences. What takes more is two decisions, or the text of another page. */
const MAX_WORDS = 75;

describe('the decisions', () => {
  it('have an index that lists every topic once', () => {
    const listed = [...read('docs/decisions.md').matchAll(/\]\(decisions\/([a-z-]+)\.md\)/g)].map(
      ([, topic]) => topic!,
    );
    expect(listed.sort()).toEqual(pages.map(({ topic }) => topic).sort());
    expect(listed.length).toBeGreaterThan(10);
  });

  it.each(pages)('of $topic are named by their topic, in rising numbers', ({ topic, records }) => {
    const headings = records.map((record) => HEADING.exec(record.split('\n')[0]!));
    expect(headings.map((heading) => heading?.[1])).toEqual(records.map(() => topic));
    const numbers = headings.map((heading) => Number(heading![2]));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(numbers.length).toBeGreaterThan(0);
  });

  it.each(pages)('of $topic are short', ({ records }) => {
    const long = records.filter((record) => record.split(/\s+/).length > MAX_WORDS);
    expect(long.map(nameOf)).toEqual([]);
  });

  it('are there where something refers to one', () => {
    const names = new Set(pages.flatMap(({ records }) => records.map(nameOf)));
    const files = globSync(['*.md', 'docs/**/*.md', '{apps,libs,projections,test}/**/*.{ts,mjs,md}'], {
      cwd: root,
    });
    const missing = files.flatMap((file) =>
      [...read(file).matchAll(REFERENCE)]
        .filter(([, name]) => !names.has(name!))
        .map(([reference]) => `${file}: ${reference}`),
    );
    expect(missing).toEqual([]);
  });
});
