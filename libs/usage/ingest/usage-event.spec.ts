import { describe, expect, it } from '@jest/globals';
import { parseJson } from '#libs/kernel/core';
import { readUsageEvent } from './usage-event.js';

const event = (more: object = {}): object => ({ customerId: 'cust_a', eventName: 'call', ...more });

describe('readUsageEvent', () => {
  it('reads every field, the time in UTC to the microsecond', () => {
    const read = readUsageEvent(
      event({
        timestamp: '2023-11-16T19:17:03.9799600+01:00',
        idempotencyKey: 'k-1',
        properties: { a: { b: [1, 'two', null, true] } },
      }),
    );
    expect(read).toEqual({
      customerId: 'cust_a',
      eventName: 'call',
      timestamp: '2023-11-16T18:17:03.979960Z',
      idempotencyKey: 'k-1',
      properties: '{"a":{"b":[1,"two",null,true]}}',
      values: { a: { b: [1, 'two', null, true] } },
    });
  });

  it('needs only a customer and a name, and ignores null', () => {
    const bare = { timestamp: undefined, idempotencyKey: undefined, properties: '{}', values: {} };
    expect(readUsageEvent(event())).toEqual({ customerId: 'cust_a', eventName: 'call', ...bare });
    expect(readUsageEvent(event({ timestamp: null, idempotencyKey: null, properties: null }))).toMatchObject(
      bare,
    );
  });

  it('keeps every digit of a number', () => {
    const properties = '{"a":9007199254740993,"b":0.1,"c":1e-8,"d":123456789012345678.123456789}';
    const read = readUsageEvent(parseJson(`{"customerId":"c","eventName":"e","properties":${properties}}`));
    expect(read).toMatchObject({ properties });
  });

  it.each<[string, unknown, string, string | undefined]>([
    ['text', 'call', 'not_an_object', undefined],
    ['null', null, 'not_an_object', undefined],
    ['a list', [], 'not_an_object', undefined],
    ['no customer', { eventName: 'e' }, 'missing_field', 'customerId'],
    ['no name', { customerId: 'c' }, 'missing_field', 'eventName'],
    ['an empty customer', event({ customerId: '' }), 'invalid_field', 'customerId'],
    ['a customer with a space', event({ customerId: 'a b' }), 'invalid_field', 'customerId'],
    ['a customer of 129 characters', event({ customerId: 'c'.repeat(129) }), 'invalid_field', 'customerId'],
    ['a numeric customer', event({ customerId: 7 }), 'invalid_field', 'customerId'],
    ['an empty name', event({ eventName: '' }), 'invalid_field', 'eventName'],
    ['a name with a line break', event({ eventName: 'a\nb' }), 'invalid_field', 'eventName'],
    ['a name that turns text around', event({ eventName: 'a\u202eb' }), 'invalid_field', 'eventName'],
    ['a name of 256 characters', event({ eventName: 'e'.repeat(256) }), 'invalid_field', 'eventName'],
    ['half a surrogate pair as key', event({ idempotencyKey: '\ud800' }), 'invalid_field', 'idempotencyKey'],
    ['an empty key', event({ idempotencyKey: '' }), 'invalid_field', 'idempotencyKey'],
    ['a numeric key', event({ idempotencyKey: 1 }), 'invalid_field', 'idempotencyKey'],
    ['a time without zone', event({ timestamp: '2026-01-01T00:00:00' }), 'invalid_field', 'timestamp'],
    ['30 February', event({ timestamp: '2026-02-30T00:00:00Z' }), 'invalid_field', 'timestamp'],
    ['a numeric time', event({ timestamp: 1_700_000_000 }), 'invalid_field', 'timestamp'],
    ['properties that are a list', event({ properties: [] }), 'invalid_field', 'properties'],
    ['NUL in a text', event({ properties: { a: ['\0'] } }), 'invalid_field', 'properties.a.0'],
    [
      'half a surrogate pair in a text',
      event({ properties: { a: '\udc00' } }),
      'invalid_field',
      'properties.a',
    ],
    ['NUL in a property name', event({ properties: { 'a\0': 1 } }), 'invalid_field', 'properties'],
    [
      'constructor as property',
      event({ properties: { a: { constructor: 1 } } }),
      'forbidden_key',
      'properties.a.constructor',
    ],
    [
      '__proto__ as property',
      parseJson('{"customerId":"c","eventName":"e","properties":{"__proto__":1}}'),
      'forbidden_key',
      'properties.__proto__',
    ],
    ['11 levels', event({ properties: deep(10) }), 'properties_too_deep', 'properties'],
    [
      'lists of 11 levels',
      event({ properties: { a: [[[[[[[[[[]]]]]]]]]] } }),
      'properties_too_deep',
      'properties',
    ],
    [
      'more than 16 KiB',
      event({ properties: { a: 'é'.repeat(8_192) } }),
      'properties_too_large',
      'properties',
    ],
    ['1e100', event({ properties: { a: 1e100 } }), 'invalid_field', 'properties.a'],
    ['1e-100', event({ properties: { a: 1e-100 } }), 'invalid_field', 'properties.a'],
    ['-1e-300', event({ properties: { a: -1e-300 } }), 'invalid_field', 'properties.a'],
    [
      '1e-400',
      parseJson('{"customerId":"c","eventName":"e","properties":{"a":1e-400}}'),
      'invalid_field',
      'properties.a',
    ],
    [
      'a number of 101 digits',
      parseJson(`{"customerId":"c","eventName":"e","properties":{"a":0.${'1'.repeat(99)}}}`),
      'invalid_field',
      'properties.a',
    ],
    ['an unknown field', event({ amount: 3 }), 'unknown_field', 'amount'],
  ])('refuses %s', (_, raw, code, field) => {
    expect(readUsageEvent(raw)).toMatchObject({
      code,
      ...(field === undefined ? {} : { field }),
      reason: expect.any(String),
    });
  });

  it('says where a misplaced field belongs', () => {
    const reasonFor = (more: object) => (readUsageEvent(event(more)) as { reason: string }).reason;
    expect(reasonFor({ amount: 3 })).toContain('send it in properties');
    expect(reasonFor({ customer_id: 'c' })).toContain('the field is named customerId');
    expect(reasonFor({ event_name: 'e' })).toContain('the field is named eventName');
    expect(reasonFor({ 'Idempotency-Key': 'e' })).toContain('the field is named idempotencyKey');
  });

  it('accepts values at the limits', () => {
    for (const more of [
      { customerId: 'c'.repeat(128) },
      { eventName: 'e'.repeat(255), idempotencyKey: 'k'.repeat(255) },
      { properties: deep(9) },
      { properties: { a: 'x'.repeat(16_384 - 8) } },
      { properties: { a: 9.99e99, b: -1e-99, c: 0 } },
    ])
      expect(readUsageEvent(event(more))).toHaveProperty('properties');
  });
});

/** An object with `levels` nested objects. */
function deep(levels: number): object {
  return levels === 0 ? {} : { a: deep(levels - 1) };
}
