import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scanJson, type JsonBounds } from './json-bounds.js';
import { parseJson } from './json.js';

const ALL: JsonBounds = { depth: 1_000, keys: 1_000, elements: 1_000, characters: 1_000, values: 1_000 };
const beyond = (text: string, bounds: Partial<JsonBounds>) => scanJson(text, { ...ALL, ...bounds }).exceeded;

describe('a JSON text', () => {
  it('is refused with the name of the first part that exceeds a limit', () => {
    expect(beyond('{"a":[1,{"b":[]}]}', { depth: 3 })).toEqual({
      bound: 'depth',
      field: 'a.1.b',
      message: 'is nested too deep',
    });
    expect(beyond('{"x":"a","m":{"a":1,"b":2,"c":3}}', { keys: 2 })).toMatchObject({
      bound: 'keys',
      field: 'm',
    });
    expect(beyond('{"x":"a","m":{"a":1,"b":2}}', { keys: 2 })).toBeUndefined();
    expect(beyond('[[1,2],[1,2,3]]', { elements: 2 })).toMatchObject({ bound: 'elements', field: '1' });
    expect(beyond('{"a":1,"b":2,"c":3}', { keys: 2 })).toMatchObject({ bound: 'keys', field: 'body' });
    expect(beyond('{"a":{"b":"xxxx"}}', { characters: 3 })).toMatchObject({
      bound: 'characters',
      field: 'a.b',
    });
    expect(beyond('{"a":"xxx","b":123}', { characters: 3 })).toBeUndefined();
    expect(beyond('[0]', { characters: 0 })).toMatchObject({ bound: 'characters', field: '0' });
    expect(beyond('{"a":1234}', { characters: 3 })).toMatchObject({ bound: 'characters', field: 'a' });
    expect(beyond('[1,[2,"x"],{"a":null}]', { values: 6 })).toMatchObject({ bound: 'values', field: 'body' });
    expect(beyond('[1,[2,"x"],{"a":null}]', { values: 7 })).toBeUndefined();
  });

  it('has no structure within its texts', () => {
    const text = String.raw`{"a":"[[[{{{,,,\"[[[\\","b\\":"\\\"[",",,":"{"}`;
    expect(JSON.parse(text)).toBeDefined();
    expect(beyond(text, { depth: 1, keys: 3, values: 4 })).toBeUndefined();
  });

  it('cuts the names that it shows', () => {
    const found = beyond(`{"${'x'.repeat(500)}":[1,2]}`, { elements: 1 });
    expect(found!.field).toBe('x'.repeat(64));
  });

  it('may be invalid JSON, which passes or exceeds a limit', () => {
    for (const text of ['', ']]]', '}{', '"', '"\\', ',,,', '[1,', '{"a"', ':::', 'nul'])
      expect(beyond(text, {})).toBeUndefined();
    expect(beyond('[[[[', { depth: 3 })).toMatchObject({ bound: 'depth' });
  });

  it('counts every character of a number, however long it is', () => {
    for (const characters of [1, 2, 31, 32, 33, 34, 35, 1_000])
      for (const end of ['', ',1', ']', '}', ' ', ':', '"']) {
        const text = `[${'7'.repeat(characters)}${end}`;
        expect(beyond(text, { characters })).toBeUndefined();
        expect(beyond(text, { characters: characters - 1 })).toMatchObject({
          bound: 'characters',
          field: '0',
        });
      }
    expect(beyond(`[${'7'.repeat(100)},[1]`, { depth: 1 })).toMatchObject({ bound: 'depth', field: '1' });
  });

  it('has long numbers if a double may change one', () => {
    const number = fc.oneof(
      fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?$/),
      fc.stringMatching(/^-?[1-9](\.[0-9]{1,3})?[eE][+-]?[0-9]{1,3}$/),
    );
    const space = fc.constantFrom('', ' ', '\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(number, space)), (numbers) => {
        const list = numbers.map(([text, around]) => `${around}${text}${around}`).join(',');
        const text = `{"2e3 1234567890123456789":[${list}],"words":[true,false,null]}`;
        // Parsing must have the same result with and without the scan's answer.
        expect(parseJson(text, scanJson(text, ALL).hasLongNumbers)).toEqual(parseJson(text, true));
      }),
    );
    const hasLong = (text: string) => scanJson(text, ALL).hasLongNumbers;
    expect(hasLong('{"a":["1e3","1234567890123456",true,123456789012345]}')).toBe(false);
    expect([hasLong('[1234567890123456]'), hasLong('1E3'), hasLong('[0.1,1e3]')]).toEqual([true, true, true]);
  });

  it('is accepted with exactly its own size as the limits', () => {
    const sizes = { depth: 0, keys: 0, elements: 0, characters: 0, values: 0 };
    const count = (value: unknown, depth: number): void => {
      sizes.values += 1;
      if (typeof value === 'string')
        sizes.characters = Math.max(sizes.characters, JSON.stringify(value).length - 2);
      if (typeof value !== 'object' || value === null) {
        if (typeof value !== 'string')
          sizes.characters = Math.max(sizes.characters, JSON.stringify(value).length);
        return;
      }
      sizes.depth = Math.max(sizes.depth, depth);
      const entries = Object.entries(value);
      if (Array.isArray(value)) sizes.elements = Math.max(sizes.elements, entries.length);
      else sizes.keys = Math.max(sizes.keys, entries.length);
      for (const [key, inner] of entries) {
        if (!Array.isArray(value))
          sizes.characters = Math.max(sizes.characters, JSON.stringify(key).length - 2);
        count(inner, depth + 1);
      }
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\n\t'), (value, space) => {
        Object.assign(sizes, { depth: 0, keys: 0, elements: 0, characters: 0, values: 0 });
        count(value, 1);
        const text = JSON.stringify(value, null, space);
        expect(scanJson(text, sizes).exceeded).toBeUndefined();
        for (const bound of Object.keys(sizes) as (keyof JsonBounds)[]) {
          // A key, element or level is only counted when the second one begins.
          const least = bound === 'keys' || bound === 'elements' ? 2 : 1;
          if (sizes[bound] < least) continue;
          expect(scanJson(text, { ...sizes, [bound]: sizes[bound] - 1 }).exceeded).toMatchObject({ bound });
        }
      }),
    );
  });
});
