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
    expect(parseEventFilter(filterOptions(on, expression)).matches(event)).toBe(matches);
  });

  it.each<[string, string, boolean]>([
    ['(?i)ISSUED', 'invoiceIssued', true],
    ['ISSUED', 'invoiceIssued', false],
    ['^inv(?i)OICE|PLAN', 'plan', true],
    ['^inv(?i)OICE|PLAN', 'INVoice', false],
    ['(?i)a(?-i)b', 'Ab', true],
    ['(?i)a(?-i)b', 'AB', false],
    ['((?i)a)b', 'AB', false],
    ['(?i:a)b', 'Ab', true],
    ['(?i:a)b', 'AB', false],
    ['(?i)ä', 'Ä', true],
    [String.raw`\Ainvoice\z`, 'invoice', true],
    [String.raw`\Ainvoice\z`, 'my invoice', false],
    [String.raw`invoice\z`, 'invoice\n', false],
    [String.raw`invoice\Z`, 'invoice\n', true],
    ['invoice$', 'invoice\n', true],
    ['^plan$', 'invoice\nplan', false],
    ['(?m)^plan$', 'invoice\nplan\nprice', true],
    [String.raw`(?m)\Aplan`, 'invoice\nplan', false],
    ['a.b', 'a\rb', true],
    ['a.b', 'a\nb', false],
    ['(?s)a.b', 'a\nb', true],
    [String.raw`^größe-\w+$`, 'größe-weiß_1', true],
    [String.raw`^\d+$`, '٣', true],
    [String.raw`\bß\b`, 'weiß', false],
    [String.raw`\bß\b`, 'ein ß', true],
    [String.raw`^invoice\-\d{3}$`, 'invoice-123', true],
    ['^a{b}]$', 'a{b}]', true],
    ['^[]a-c.&-]+$', '].&-b', true],
    [String.raw`^[^\d\]]+$`, 'a]', false],
    [String.raw`^[\w-]+$`, 'a-b', true],
    ["(?'kind'a|b)\\k'kind'", 'bb', true],
    ['(a|b)\\1', 'ab', false],
    ['in(?#inside)voice', 'invoice', true],
    ['^(?!plan).*-', 'invoice-1', true],
    [String.raw`^\x41\u0042\03\t$`, 'AB\x03\t', true],
    [String.raw`^\ud83d\ude00$`, '😀', true],
    ['^😀$', '😀', true],
  ])('reads %s as .NET does: of %j it says %s', (regex, type, matches) => {
    const filter = parseEventFilter(filterOptions('type', { regex }));
    expect(filter.matches({ stream: 's', type })).toBe(matches);
  });

  it.each([
    [String.raw`\Ga`, String.raw`"\G"`],
    [String.raw`\y`, String.raw`"\y"`],
    [String.raw`\103`, String.raw`"\103"`],
    ['(?x)a b', '"(?x)"'],
    ['(?n:a)', '"(?n:"'],
    ['(?>a)', '"(?>"'],
    ['(?(a)b|c)', '"(?("'],
    ['(?<a-b>c)', '"(?<"'],
    ['[a-z-[aeiou]]', '"-["'],
    ['[a[:alpha:]]', '"[:"'],
    [String.raw`(?<a>b)(c)\1`, 'beside'],
  ])('refuses %s by the name of what it cannot do: %s', (regex, name) => {
    expect(() => parseEventFilter(filterOptions('type', { regex }))).toThrow(name);
    expect(() => parseEventFilter(filterOptions('type', { regex }))).toThrow('is not supported');
  });

  it.each(['(', ')', '[a', 'a)', '\\', '*', '(?i)*', String.raw`[b-a]`, String.raw`\p{Nonsense}`, '(?i'])(
    'refuses %s, which is not a valid expression',
    (regex) => {
      expect(() => parseEventFilter(filterOptions('type', { regex }))).toThrow(CallError);
    },
  );

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
