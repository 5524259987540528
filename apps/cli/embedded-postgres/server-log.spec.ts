import { expect, it } from '@jest/globals';
import { createLogger } from '#libs/kernel/system';
import { logServerLine } from './server-log.js';

it.each([
  [
    '2026-11-29 12:47:20.604 UTC [4711] LOG:  database system is ready to accept connections',
    { level: 30, severity: 'LOG', postgresPid: 4711, msg: 'database system is ready to accept connections' },
  ],
  [
    '2026-11-29 12:47:20.604 UTC [4711] ERROR:  duplicate key value violates unique constraint "users_email_key"',
    {
      level: 40,
      severity: 'ERROR',
      postgresPid: 4711,
      msg: 'duplicate key value violates unique constraint "users_email_key"',
    },
  ],
  [
    '2026-11-29 12:47:20.604 UTC [4711] PANIC:  could not write to file',
    { level: 60, severity: 'PANIC', postgresPid: 4711, msg: 'could not write to file' },
  ],
  ['\tWHERE id = 1', { level: 30, msg: 'WHERE id = 1' }],
])('writes the line of Postgres as an entry of the log: %s', (line, entry) => {
  const lines: string[] = [];
  const logger = createLogger('postgres', 'info', { write: (text) => void lines.push(text) });
  logServerLine(logger, line);
  expect(lines.map((text) => JSON.parse(text) as object)).toEqual([
    { ...entry, time: expect.any(String), service: 'postgres' },
  ]);
});
