import { describe, expect, it } from '@jest/globals';
import { toCsv } from './csv.js';

const cell = (value: string): string => toCsv(['value'], [{ value }]).slice('value\r\n'.length, -2);

describe('CSV', () => {
  it('has a header and lines that end with CRLF', () => {
    expect(
      toCsv(
        ['a', 'b'],
        [
          { a: 1, b: 'x' },
          { a: null, b: undefined },
        ],
      ),
    ).toBe('a,b\r\n1,x\r\n,\r\n');
    expect(toCsv(['a'], [])).toBe('a\r\n');
  });

  it.each([
    ['plain text', 'plain text'],
    ['a,b', '"a,b"'],
    ['say "so"', '"say ""so"""'],
    ['a;b', '"a;b"'],
    ['a\tb', '"a\tb"'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['', ''],
  ])('quotes %j where it must', (value, expected) => {
    expect(cell(value)).toBe(expected);
  });

  it.each([
    ['=HYPERLINK("http://e","x")', `"'=HYPERLINK(""http://e"",""x"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['\u0000=1', "'\u0000=1"],
  ])('makes no formula of %j', (value, expected) => {
    expect(cell(value)).toBe(expected);
  });
});

it('leaves negative amounts as they are, in the columns that have amounts', () => {
  expect(toCsv(['name', 'amount'], [{ name: '-1', amount: '-1.50' }], ['amount'])).toBe(
    "name,amount\r\n'-1,-1.50\r\n",
  );
});
