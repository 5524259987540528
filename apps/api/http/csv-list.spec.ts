import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import type { ListOrder, ListPart } from '#libs/kernel/core';
import { CsvPageQuery, listAnswer } from './csv-list.js';

interface Row {
  readonly position: string;
  readonly name: string | undefined;
}

const order: ListOrder<Row> = { list: 'names', keyParts: ['integer'], keyOf: ({ position }) => [position] };
const rows: Row[] = [
  { position: '3', name: undefined },
  { position: '2', name: 'second' },
  { position: '1', name: 'first' },
];
const read = async ({ limit, after }: ListPart): Promise<Row[]> =>
  Promise.resolve(rows.filter(({ position }) => after === undefined || position < after[0]).slice(0, limit));

async function answerTo(query: Partial<CsvPageQuery>) {
  const headers: Record<string, unknown> = {};
  const reply = {
    header(name: string, value: unknown) {
      headers[name] = value;
      return reply;
    },
    type: () => reply,
  };
  const answer = await listAnswer(
    reply as unknown as FastifyReply,
    Object.assign(new CsvPageQuery(), query),
    order,
    read,
    {
      present: ({ name }) => name,
      file: {
        name: 'names',
        columns: ['name'],
        amounts: [],
        rowOf: ({ name }) => (name === undefined ? undefined : { name }),
      },
    },
  );
  return { answer, headers };
}

describe('a list as JSON or CSV', () => {
  it('goes on after an entry that is left out', async () => {
    const { answer: first } = await answerTo({ limit: 2 });
    expect(first).toEqual({ data: ['second'], hasMore: true, next: expect.any(String) });
    const { next } = first as { next: string };
    expect((await answerTo({ limit: 2, after: next })).answer).toEqual({ data: ['first'], hasMore: false });

    const { answer, headers } = await answerTo({ format: 'csv', limit: 2 });
    expect([answer, headers['Next']]).toEqual(['name\r\nsecond\r\n', next]);
  });

  it('is refused as JSON if the page is too large for it', async () => {
    await expect(answerTo({ limit: 1_001 })).rejects.toThrow('limit');
    expect((await answerTo({ format: 'csv', limit: 1_001 })).answer).toBe('name\r\nsecond\r\nfirst\r\n');
  });
});
