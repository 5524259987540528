import { describe, expect, it } from '@jest/globals';
import { isTransient } from './transient.js';

const withCode = (code: string): Error => Object.assign(new Error('connection timeout'), { code });

describe('whether an error may pass', () => {
  it.each(['08006', '40001', '40P01', '53300', '57P01', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'])(
    '%s may',
    (code) => expect(isTransient(withCode(code))).toBe(true),
  );

  it.each(['23505', '22P02', '42P01', '57014', 'ERR_INVALID_ARG_TYPE'])('%s would come again', (code) =>
    expect(isTransient(withCode(code))).toBe(false),
  );

  it('depends on the message of pg if there is no code, but not on the message of a defect', () => {
    expect(isTransient(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isTransient(new Error('timeout exceeded when trying to connect'))).toBe(true);
    expect(isTransient(new TypeError("Cannot read properties of undefined (reading 'connection')"))).toBe(
      false,
    );
    expect(isTransient({})).toBe(false);
  });
});
