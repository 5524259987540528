import { describe, expect, it } from '@jest/globals';
import { CallError } from '../wire/errors.js';
import { ReadReq } from '../wire/stubs.js';
import { readEventFilter } from './event-filter.js';

const { FilterOptions } = ReadReq.Options;
type Expression = { regex?: string; prefixes?: string[] };

function filterOptions(
  on: 'stream' | 'type',
  { regex = '', prefixes = [] }: Expression,
  window?: number,
  multiplier = 1,
): InstanceType<typeof FilterOptions> {
  const expression = new FilterOptions.Expression();
  expression.setRegex(regex);
  expression.setPrefixList(prefixes);
  const options = new FilterOptions();
  if (on === 'stream') options.setStreamIdentifier(expression);
  else options.setEventType(expression);
  if (window !== undefined) options.setMax(window);
  options.setCheckpointintervalmultiplier(multiplier);
  return options;
}

const event = { stream: 'invoice-1', type: 'InvoiceIssued' };

describe('a filter', () => {
  it.each<['stream' | 'type', Expression, boolean]>([
    ['stream', { prefixes: ['invoice-'] }, true],
    ['stream', { prefixes: ['plan-', 'inv'] }, true],
    ['stream', { prefixes: ['Invoice'] }, false],
    ['stream', { regex: '-[0-9]$' }, true],
    ['stream', { regex: '^Invoice' }, false],
    ['type', { prefixes: ['Invoice'] }, true],
    ['type', { prefixes: ['invoice-'] }, false],
    ['type', { regex: '^[^$].*' }, true],
    ['type', { regex: '^\\$' }, false],
  ])('on the %s with %j: %s', (on, expression, matches) => {
    expect(readEventFilter(filterOptions(on, expression)).matches(event)).toBe(matches);
  });

  it('leaves out system events by the expression that clients send', () => {
    const filter = readEventFilter(filterOptions('type', { regex: '^[^$].*' }));
    expect(filter.matches({ stream: '$$s', type: '$metadata' })).toBe(false);
  });

  it('tells its checkpoint interval: the window, 32 by default, times the multiplier', () => {
    const interval = (window: number | undefined, multiplier: number): number =>
      readEventFilter(filterOptions('type', { prefixes: ['x'] }, window, multiplier)).checkpointInterval;
    expect(interval(undefined, 1)).toBe(32);
    expect(interval(undefined, 3)).toBe(96);
    expect(interval(10, 2)).toBe(20);
  });

  it.each<[string, () => InstanceType<typeof FilterOptions>]>([
    ['no expression', () => new FilterOptions()],
    ['an empty expression', () => filterOptions('type', {})],
    ['a wrong regular expression', () => filterOptions('type', { regex: '(' })],
    ['an empty window', () => filterOptions('type', { prefixes: ['x'] }, 0)],
  ])('with %s is refused', (_, options) => {
    expect(() => readEventFilter(options())).toThrow(CallError);
  });
});
