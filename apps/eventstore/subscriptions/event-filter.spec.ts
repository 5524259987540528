import { describe, expect, it } from '@jest/globals';
import { CallError } from '../wire/errors.js';
import { ReadReq } from '../wire/stubs.js';
import { parseEventFilter } from './event-filter.js';

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

/** The expression by which the feed of all events leaves out the system streams, with a `$` that is escaped within a class. */
const NOT_SYSTEM = String.raw`^[^\$].*`;

const event = { stream: 'invoice-1', type: 'InvoiceIssued' };

describe('a filter', () => {
  it.each<['stream' | 'type', Expression, boolean]>([
    ['stream', { prefixes: ['invoice-'] }, true],
    ['stream', { prefixes: ['plan-', 'inv'] }, true],
    ['stream', { prefixes: ['Invoice'] }, false],
    ['stream', { regex: '-[0-9]$' }, true],
    ['stream', { regex: '^Invoice' }, false],
    ['stream', { regex: NOT_SYSTEM }, true],
    ['type', { prefixes: ['Invoice'] }, true],
    ['type', { prefixes: ['invoice-'] }, false],
    ['type', { regex: '^[^$].*' }, true],
    ['type', { regex: '^\\$' }, false],
  ])('on the %s with %j: %s', (on, expression, matches) => {
    expect(parseEventFilter(filterOptions(on, expression)).matches(event)).toBe(matches);
  });

  it.each<[string, string, boolean]>([
    ['ISSUED', 'invoiceIssued', false],
    ['invoice$', 'invoice\n', true],
    ['^plan$', 'invoice\nplan', false],
    ['a.b', 'a\rb', true],
    ['a.b', 'a\nb', false],
    ['^größe-[a-zß]+$', 'größe-weiß', true],
    [String.raw`^invoice\-\(a\)$`, 'invoice-(a)', true],
    ['^(CustomerCreated|PriceCreated)$', 'PriceCreated', true],
    ['^(CustomerCreated|PriceCreated)$', 'PriceCreatedAgain', false],
    ['^a(bc)*$', 'abcbc', true],
    [NOT_SYSTEM, '$metadata', false],
    [String.raw`^[\-\]a]+$`, 'a-]', true],
  ])('reads %s as .NET does: of %j it says %s', (regex, type, matches) => {
    const filter = parseEventFilter(filterOptions('type', { regex }));
    expect(filter.matches({ stream: 's', type })).toBe(matches);
  });

  it.each([
    ['(?i)issued', '"(?" at character 1'],
    ['^a{3}', '"{3" at character 3'],
    [String.raw`a\d`, String.raw`"\d" at character 2`],
    [String.raw`\Aplan`, String.raw`"\A" at character 1`],
    ['[a-z-[aeiou]]', '"[a" at character 1'],
    ['a?', '"?" at character 2'],
    ['^😀$', '"😀" at character 2'],
  ])('refuses %s, and names what it does not read: %s', (regex, part) => {
    const read = () => parseEventFilter(filterOptions('type', { regex }));
    expect(read).toThrow(`${part} is not supported; use letters`);
  });

  it.each(['(', ')', 'a)', '*', '[b-a]'])('refuses %s, which is not a valid expression', (regex) => {
    expect(() => parseEventFilter(filterOptions('type', { regex }))).toThrow(CallError);
  });

  it('excludes system events with the expression that clients send', () => {
    const filter = parseEventFilter(filterOptions('type', { regex: '^[^$].*' }));
    expect(filter.matches({ stream: '$$s', type: '$metadata' })).toBe(false);
  });

  it('has a checkpoint interval: the window, 32 by default, times the multiplier', () => {
    const interval = (window: number | undefined, multiplier: number): number =>
      parseEventFilter(filterOptions('type', { prefixes: ['x'] }, window, multiplier)).checkpointInterval;
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
    expect(() => parseEventFilter(options())).toThrow(CallError);
  });
});
