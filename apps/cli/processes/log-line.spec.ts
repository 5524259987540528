import { describe, expect, it } from '@jest/globals';
import { findFailureReason, isErrorEntry, readableLogLine } from './log-line.js';

const logged = (level: number, msg: string, message?: string) =>
  JSON.stringify({ level, msg, ...(message ? { err: { message } } : {}) });

describe('failureIn', () => {
  it('prefers a logged error to later lines', () => {
    expect(
      findFailureReason([logged(60, 'cannot start', 'no database'), logged(30, 'bye'), 'Node.js v24']),
    ).toBe('cannot start: no database');
  });

  it('finds the exception in the output of Node', () => {
    expect(
      findFailureReason([
        'node:internal/modules',
        "Error: Cannot find module 'x'",
        '    at load',
        '}',
        '',
        'Node.js v24',
      ]),
    ).toBe("Error: Cannot find module 'x'");
    expect(findFailureReason(['TypeError [ERR_INVALID]: bad', '    at x'])).toBe(
      'TypeError [ERR_INVALID]: bad',
    );
  });

  it('returns the last line that is not empty if no line looks like a reason', () => {
    expect(findFailureReason(['one', 'Port 5432 is taken', ''])).toBe('Port 5432 is taken');
    expect(findFailureReason([])).toBe('');
  });
});

describe('log lines', () => {
  it('show what a terminal would obey, and line breaks, as escapes', () => {
    const forged = 'no customer "a\u001b[2J\n2026-01-01 all is well\u009b0m\u2028"';
    const shown = 'no customer "a\\u001b[2J\\n2026-01-01 all is well\\u009b0m\\u2028"';
    expect(readableLogLine(logged(50, 'task failed', forged))).toBe(`task failed: ${shown}`);
    expect(readableLogLine(forged)).toBe(shown);
  });

  it('are read as entries only when they are JSON objects', () => {
    expect(readableLogLine('  plain  ')).toBe('plain');
    expect(readableLogLine('{broken')).toBe('{broken');
    expect(readableLogLine(logged(30, 'same', 'same'))).toBe('same');
    expect(readableLogLine(logged(60, 'no database: refused', 'refused'))).toBe('no database: refused');
    expect(isErrorEntry(JSON.stringify({ level: 50, msg: 'request', status: 503 }))).toBe(false);
    expect(isErrorEntry(logged(40, 'a warning'))).toBe(false);
    expect(isErrorEntry(logged(50, 'an error'))).toBe(true);
    expect(isErrorEntry('Error: text')).toBe(false);
  });
});
