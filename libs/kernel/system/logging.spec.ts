import { expect, it } from '@jest/globals';
import { createLogger } from './logging.js';

it('logs the message and the stack of an error, but not the connection that it ended', () => {
  const lines: string[] = [];
  const logger = createLogger('api', 'info', { write: (line) => void lines.push(line) });
  const lost = Object.assign(new Error('terminating connection'), {
    code: '57P01',
    client: { parsedStatements: { heads: 'SELECT asked.name' } },
  });
  logger.error({ err: lost }, 'a connection was lost');
  const { err, msg, service } = JSON.parse(lines[0]!) as { err: object; msg: string; service: string };
  expect({ msg, service }).toEqual({ msg: 'a connection was lost', service: 'api' });
  expect(err).toEqual({
    type: 'Error',
    message: 'terminating connection',
    code: '57P01',
    stack: expect.stringContaining('logging.spec'),
  });
});
