import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { NotFound, TooManyRequests, Unavailable } from '#libs/kernel/core';
import { logPageFailure } from './log-page-failure.js';

function linesOf(error: unknown): object[] {
  const lines: object[] = [];
  const logger = pino({}, { write: (line) => lines.push(JSON.parse(line) as object) });
  logPageFailure(logger, error);
  return lines;
}

it('leaves no line of a refusal, whatever its status is', () => {
  expect(linesOf(new Unavailable('busy', 'Too many documents are being made'))).toEqual([]);
  expect(linesOf(new TooManyRequests('too_many_requests', 'Too many', 1))).toEqual([]);
  expect(linesOf(NotFound.of('invoice', 'inv_1'))).toEqual([]);
});

it('leaves one line without a stack of an outage, and one with a stack of a defect', () => {
  const full = Object.assign(new Error('No space left on device'), { code: '53100' });
  expect(linesOf(full)).toMatchObject([{ level: 40, msg: 'page put off', code: '53100' }]);
  expect(linesOf(full)[0]).not.toHaveProperty('err');
  expect(linesOf(new TypeError('a bug'))).toMatchObject([{ level: 50, err: { message: 'a bug' } }]);
});
