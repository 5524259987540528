import { expect, it } from '@jest/globals';
import { createLogger } from '#libs/kernel/system';
import { ObservedOutages, renderMetricsPage } from './index.js';

it('logs the begin and the end of an outage once, with the error and the next attempt, and counts it meanwhile', async () => {
  const lines: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  const outages = new ObservedOutages('mail_server', logger);
  const failing = async () =>
    /countinghouse_outages\{system="mail_server"\} (\d)/.exec(await renderMetricsPage())?.[1];
  outages.worked('smtp');
  expect([lines, await failing()]).toEqual([[], '0']);
  for (const error of ['refused', 'refused again'])
    outages.failed('smtp', { error, nextAttemptAt: '2026-11-02T10:00:20.000Z' });
  expect(await failing()).toBe('1');
  outages.worked('smtp');
  outages.worked('smtp');
  expect(await failing()).toBe('0');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    {
      outage: 'begin',
      system: 'mail_server',
      key: 'smtp',
      error: 'refused',
      nextAttemptAt: '2026-11-02T10:00:20.000Z',
    },
    { outage: 'end', system: 'mail_server', key: 'smtp', since: expect.any(String) },
  ]);
  outages.close();
});
