import { describe, expect, it } from '@jest/globals';
import { InvalidRequest, type ListOrder, type ListPart } from '#libs/kernel/core';
import { pageInMemory, readPage, type ListPage } from './page.js';

const LETTERS = ['a', 'b', 'c'];
const order: ListOrder<string> = { list: 'letters', keyParts: ['text'], keyOf: (letter) => [letter] };
const upper = (letter: string): string => letter.toUpperCase();
const read = ({ limit, offset, after }: ListPart): string[] =>
  LETTERS.filter((letter) => after === undefined || letter > after[0]).slice(offset, offset + limit);

type Lister = (page: { limit: number; offset?: number; after?: string }) => Promise<ListPage<string>>;
const stored: Lister = ({ offset = 0, ...page }) => readPage({ offset, ...page }, order, read, upper);
const inMemory: Lister = async ({ offset = 0, ...page }) =>
  pageInMemory({ offset, ...page }, { list: 'letters', rows: LETTERS, idOf: (letter) => letter }, upper);

describe.each([
  ['a list that is read in parts', stored],
  ['a list in memory', inMemory],
])('%s', (_, list) => {
  it('says whether there is more behind what it shows', async () => {
    expect(await list({ limit: 2 })).toEqual({ data: ['A', 'B'], hasMore: true, next: expect.any(String) });
    expect(await list({ limit: 2, offset: 1 })).toEqual({ data: ['B', 'C'], hasMore: false });
    expect(await list({ limit: 3 })).toEqual({ data: ['A', 'B', 'C'], hasMore: false });
    expect(await list({ limit: 3, offset: 3 })).toEqual({ data: [], hasMore: false });
  });

  it('goes on behind what a page before it has shown', async () => {
    const first = await list({ limit: 1 });
    const second = await list({ limit: 1, after: first.next! });
    expect(second).toEqual({ data: ['B'], hasMore: true, next: expect.any(String) });
    expect(await list({ limit: 1, after: second.next! })).toEqual({ data: ['C'], hasMore: false });
  });

  it('takes after in place of offset, not with it', async () => {
    const { next } = await list({ limit: 1 });
    const both = async () => list({ limit: 1, offset: 1, after: next! });
    await expect(both()).rejects.toThrow('after: cannot be combined with offset; leave out one of them');
  });

  it.each(['x', '', '[]', 'W10', Buffer.from('["letters",1]').toString('base64url')])(
    'refuses %j, which is no place in it',
    async (after) => {
      const wrong = async () => list({ limit: 1, after });
      await expect(wrong()).rejects.toThrow(InvalidRequest);
      await expect(wrong()).rejects.toThrow(
        /^after: must be the next of an earlier page of this list; leave it out/,
      );
    },
  );

  it('refuses the place in another list', async () => {
    const other = await readPage({ limit: 1, offset: 0 }, { ...order, list: 'others' }, read, upper);
    await expect(async () => list({ limit: 1, after: other.next! })).rejects.toThrow(InvalidRequest);
  });
});

describe('a list in memory that changes between two pages', () => {
  const pageOf = (rows: readonly string[], after?: string) =>
    pageInMemory({ limit: 1, offset: 0, after }, { list: 'letters', rows, idOf: (letter) => letter }, upper);

  it('shows nothing twice where an entry came before, and leaves nothing out where one went away', () => {
    const { next } = pageOf(LETTERS);
    expect(pageOf(['new', ...LETTERS], next).data).toEqual(['B']);
    expect(pageOf(['b', 'c'], next).data).toEqual(['B']);
  });

  it('takes no place in another list in memory', () => {
    const other = pageInMemory(
      { limit: 1, offset: 0 },
      { list: 'others', rows: LETTERS, idOf: (one: string) => one },
      upper,
    );
    expect(() => pageOf(LETTERS, other.next)).toThrow(InvalidRequest);
  });
});
