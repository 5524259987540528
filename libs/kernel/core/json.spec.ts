import { describe, expect, it } from '@jest/globals';
import {
  canonicalJson,
  ExactNumber,
  findForbiddenKey,
  findUnstorable,
  jsonNumber,
  parseJson,
} from './json.js';

describe('reading JSON', () => {
  it.each([
    '0',
    '-7',
    '0.1',
    '1e-8',
    '9007199254740991',
    '123456.789012345',
    '1E3',
    '2.50',
    '0.30000000000000004',
  ])('reads %s as the number that it is', (text) => expect(parseJson(`[${text}]`)).toEqual([Number(text)]));

  it.each([
    '9007199254740993',
    '0.1000000000000000055',
    '-12345678901234567890.123456789',
    '1e400',
    '1e-400',
  ])('keeps %s, which a double would change, digit by digit', (text) => {
    const [read] = parseJson(`[${text}]`) as [ExactNumber];
    expect(read).toBeInstanceOf(ExactNumber);
    expect(String(read)).toBe(text);
    expect(JSON.stringify([read])).toBe(`[${text}]`);
  });

  it('does not change strings that look like such a number', () => {
    expect(parseJson('{"id":"9007199254740993","uuid":"5e1"}')).toEqual({
      id: '9007199254740993',
      uuid: '5e1',
    });
  });

  it('reads a number of a million digits in no time', () => {
    const [read] = parseJson(`[${'1'.repeat(1_000_000)}e99999]`) as [ExactNumber];
    expect(read).toBeInstanceOf(ExactNumber);
  });
});

describe('writing numbers', () => {
  it.each(['0.1', '9007199254740993', '0.00000001', '-12.30'])(
    'writes %s with exactly its digits',
    (text) => {
      expect(JSON.stringify({ amount: jsonNumber(text) })).toBe(`{"amount":${text}}`);
    },
  );
});

describe('what must not be in a body', () => {
  it('is a key that names a prototype, at any depth, and nesting without end', () => {
    const notAllowed = { message: 'is not allowed as a key' };
    expect(findForbiddenKey(JSON.parse('{"a":[{"__proto__":1}]}'), 5)).toEqual({
      field: 'a.0.__proto__',
      ...notAllowed,
    });
    expect(findForbiddenKey({ a: { constructor: 1 } }, 5)).toEqual({ field: 'a.constructor', ...notAllowed });
    expect(findForbiddenKey({ a: { b: { c: 1 } } }, 3)).toBeUndefined();
    expect(findForbiddenKey({ a: { b: { c: {} } } }, 3)).toEqual({
      field: 'a.b.c',
      message: 'is nested too deep',
    });
  });

  it('is text that Postgres cannot store, in a value or a key', () => {
    expect(findUnstorable({ a: '\u0000' })).toBe('a');
    expect(findUnstorable({ a: { b: ['x', '\ud800'] } })).toBe('a.b.1');
    expect(findUnstorable({ a: { '\udfff': 1 } })).toBe('a.\ufffd');
    expect(findUnstorable({ '\u{1f600}': ['\u{1f600}', '\\u0000', 1, null] })).toBeUndefined();
  });
});

describe('canonical JSON', () => {
  const of = (text: string) => canonicalJson(parseJson(text));

  it('is the same for the same value', () => {
    expect(of('{"b":[1.0,{"d":null,"c":"ü"}],"a":true}')).toBe('{"a":true,"b":[1,{"c":"ü","d":null}]}');
    expect(of('0.10000000000000000550')).toBe(of('1.000000000000000055e-1'));
    expect(of('{}')).toBe('{}');
  });

  it('differs for different values', () => {
    const texts = [
      '[1,[2]]',
      '[[1],2]',
      '[1,2]',
      '["1",2]',
      '{"1":2}',
      '{"1":"2"}',
      '{"1":null}',
      'null',
      '""',
    ];
    expect(new Set(texts.map(of)).size).toBe(texts.length);
    expect(of('9007199254740993')).not.toBe(of('9007199254740992'));
  });
});
