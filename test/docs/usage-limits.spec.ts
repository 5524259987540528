import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import { WindowCounter } from '../../libs/contexts/usage-limits/counting/window-counter.js';
import { usageLimitDecider } from '../../libs/contexts/usage-limits/limits/usage-limit.js';
import { windowAt } from '../../libs/contexts/usage-limits/windows/limit-window.js';
import { examplesOf, partsOf, statementsOf } from './blocks.js';
import { readUsageLimit } from './requests.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/usage-limits.md'), 'utf8');
const calendar = { timezone: 'UTC', subscriptions: [] };
const examples = examplesOf(page, 'limit');

it.each(examples)('a limit under "$title" is as the page says', async (example) => {
  const { happens, comes } = partsOf(example);
  const [first, ...events] = statementsOf(happens);
  const limit = await created(/^limit (.*)$/.exec(first!)![1]!);
  const terms = { ...limit, metric: { aggregation: { type: 'sum' } } };
  const counters = new Map<string, WindowCounter>();
  const counterAt = (at: string): WindowCounter => {
    const { start } = windowAt(limit, calendar, at);
    const counter = counters.get(start) ?? new WindowCounter('0', []);
    counters.set(start, counter);
    return counter;
  };
  const lines: string[] = [];
  for (const event of events) {
    const [, time, units] = /^(\S+) use (.*)$/.exec(event)!;
    const counter = counterAt(`${time}:00.000Z`);
    const value = new Decimal(units!);
    const refusal = counter.thresholdsOnRefusal(terms, value);
    for (const threshold of refusal ?? counter.countEvent(terms, value))
      lines.push(`${time} told ${threshold} at ${counter.used}`);
    if (refusal) lines.push(`${time} refused usage_limit_reached`);
  }
  for (const asked of statementsOf(comes).filter((line) => line.includes(' used '))) {
    const [date] = asked.split(' ');
    lines.push(`${date} used ${counterAt(`${date}T00:00:00.000Z`).used}`);
  }
  expect(`${lines.join('\n')}\n`).toBe(comes);
});

it('has examples', () => {
  expect(examples.length).toBeGreaterThan(3);
});

/** The limit that a request creates. */
async function created(json: string) {
  const { customerId = null, warnAt = [], ...rest } = await readUsageLimit(json);
  const details = { ...rest, customerId, warnAt };
  const command = {
    type: 'CreateUsageLimit',
    at: '2026-01-01T00:00:00.000Z',
    limitId: 'lim_1',
    details,
  } as const;
  return fold(usageLimitDecider, usageLimitDecider.decide(command, undefined))!;
}
