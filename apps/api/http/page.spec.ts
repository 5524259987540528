import { describe, expect, it } from '@jest/globals';
import { listOf, pageIn } from './page.js';

const list = (limit: number, offset: number) =>
  listOf({ limit, offset }, pageIn(['a', 'b', 'c']), (row) => row.toUpperCase());

describe('a list', () => {
  it('says whether there is more behind what it shows', async () => {
    expect(await list(2, 0)).toEqual({ data: ['A', 'B'], hasMore: true });
    expect(await list(2, 1)).toEqual({ data: ['B', 'C'], hasMore: false });
    expect(await list(3, 0)).toEqual({ data: ['A', 'B', 'C'], hasMore: false });
    expect(await list(3, 3)).toEqual({ data: [], hasMore: false });
  });
});
