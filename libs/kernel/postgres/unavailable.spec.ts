import { describe, expect, it } from '@jest/globals';
import { toDatabaseUnavailable } from './unavailable.js';

describe('what a client is told of an error of Postgres', () => {
  it.each([
    ['a full disk', { code: '53100' }, 'storage_full'],
    ['a lost connection', { code: 'ECONNRESET' }, 'database_unavailable'],
    ['a server that shuts down', { code: '57P01' }, 'database_unavailable'],
  ])('names %s', (_, error, code) => {
    expect(toDatabaseUnavailable(error)).toMatchObject({ status: 503, code });
  });

  it.each([[{ code: '23505' }], [new TypeError('no such thing')], [undefined]])(
    'is nothing when it would come again: %p',
    (error) => expect(toDatabaseUnavailable(error)).toBeUndefined(),
  );
});
