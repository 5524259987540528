import { describe, expect, it } from '@jest/globals';
import { HARMLESS, HOSTILE } from '../../../test/support/hostile-sql.js';
import { checkSql } from './check-sql.js';

describe('checkSql', () => {
  it.each(HARMLESS)('takes %s', async (sql) => {
    expect(await checkSql(sql)).toMatchObject({ statement: expect.any(String) });
  });

  it.each(HOSTILE)('refuses %s', async (_, sql) => {
    expect(await checkSql(sql)).toEqual(expect.objectContaining({ message: expect.any(String) }));
  });

  it('completes an expression to a SELECT, and keeps a SELECT except for what follows it', async () => {
    expect(await checkSql('count(*) -- all')).toEqual({
      statement: 'SELECT (\ncount(*) -- all\n) FROM events',
      clientTextOffset: 9,
    });
    expect(await checkSql('SELECT count(*) FROM events ; ')).toMatchObject({
      statement: 'SELECT count(*) FROM events ',
    });
  });

  it.each<[string, string, number | undefined]>([
    ['SELECT 1; DROP TABLE events', 'must be one statement', undefined],
    ['DELETE FROM events', 'must be a SELECT, or an expression', undefined],
    ['SELECT count(*) FROM users', 'must read nothing but events, not "users"', 22],
    ['SELECT count(*) FROM usage.events', 'must not have a schema before a name', 22],
    ['SELECT count(*) FROM events a, events b', 'must not join: each SELECT reads from one thing', undefined],
    ['sum(pg_sleep(1))', 'must not call the function pg_sleep', 5],
    [`SELECT 'é', sum(x) OVER () FROM events`, 'must not have window functions', 13],
    ['sum($1)', 'must not have parameters such as $1', 5],
    ['now()', 'must not call the function now', 1],
    ['sum(1', 'syntax error at its end', undefined],
    ['sum(1))', 'syntax error at its end', undefined],
    ['SELECT sum(1', 'syntax error at end of input', 13],
    ['max(id) || 1', 'must not use the operator ||', 9],
    ['sum(id::float8)', 'must not cast to float8, which is not exact: use numeric', 7],
    ['SELECT id FROM events', 'must aggregate the events, as sum(…) and count(*) do', undefined],
  ])('names the error of %s and its position', async (sql, message, position) => {
    const refusal = await checkSql(sql);
    expect(refusal).toMatchObject({ message });
    expect('position' in refusal ? refusal.position : undefined).toBe(position);
  });
});
