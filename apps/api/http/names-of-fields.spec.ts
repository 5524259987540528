import { describe, expect, it } from '@jest/globals';
import { ExactNumber, readRequestJson, type InvalidRequest } from '#libs/kernel/core';
import { CreateCustomerBody } from '../customers/customer.dto.js';
import { EvaluateMetricBody } from '../metrics/evaluate-metric.dto.js';
import { CreateMetricBody } from '../metrics/metric.dto.js';
import { createValidationPipe } from './validation.js';

/** Names that every JavaScript object has already, which a client may use as any other. */
const INHERITED = ['toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', '__defineGetter__'];

async function read<T extends object>(metatype: new () => T, text: string): Promise<T> {
  return createValidationPipe().transform(readRequestJson(text), { type: 'body', metatype }) as Promise<T>;
}

/** What is said of the fields of a body, as `field message`. */
async function refused(metatype: new () => object, text: string): Promise<string[]> {
  const error = await read(metatype, text).then(
    () => undefined,
    (reason: InvalidRequest) => reason,
  );
  return (error?.details ?? []).map(({ field, message }) => `${field} ${message}`);
}

describe('a name that every object has', () => {
  it.each(INHERITED)('is a key of metadata as any other: %s', async (name) => {
    const body = await read(
      CreateCustomerBody,
      `{"name":"A","metadata":{"${name}":"x","deep":{"${name}":1}}}`,
    );
    expect(JSON.stringify(body.metadata)).toBe(`{"${name}":"x","deep":{"${name}":1}}`);
  });

  it.each(INHERITED)('is a property of an event, and of a filter, as any other: %s', async (name) => {
    const { events } = await read(
      EvaluateMetricBody,
      `{"aggregation":{"type":"count","filter":{"${name}":"x"}},"events":[{"properties":{"${name}":1}}]}`,
    );
    expect(JSON.stringify(events)).toBe(`[{"properties":{"${name}":1}}]`);
    const metric = await read(
      CreateMetricBody,
      `{"name":"A","aggregation":{"type":"count","filter":{"${name}":"x"}}}`,
    );
    expect(JSON.stringify(metric.aggregation)).toBe(`{"type":"count","filter":{"${name}":"x"}}`);
  });

  it.each(INHERITED)('is no field of a request: %s', async (name) => {
    const notAField = 'is not a field of this request';
    expect(await refused(CreateCustomerBody, `{"name":"A","${name}":1}`)).toEqual([`${name} ${notAField}`]);
    expect(
      await refused(
        CreateCustomerBody,
        `{"name":"A","address":{"line1":"a","city":"b","country":"DE","${name}":1}}`,
      ),
    ).toEqual([`address.${name} ${notAField}`]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'is refused with the reason if it is %s',
    async (name) => {
      expect(() => readRequestJson(`{"name":"A","metadata":{"${name}":1}}`)).toThrow(
        `metadata.${name} is not allowed as a key`,
      );
    },
  );
});

describe('an exact number', () => {
  it('in what is read as it came stays one', async () => {
    const { events } = await read(
      EvaluateMetricBody,
      '{"aggregation":{"type":"count"},"events":[{"properties":{"n":12345678901234567890.5}}]}',
    );
    expect((events[0] as { properties: { n: unknown } }).properties.n).toBeInstanceOf(ExactNumber);
  });
});

describe('a client-chosen id', () => {
  it.each(['.', '..'])('is not "%s", which a path swallows', async (id) => {
    expect(await refused(CreateCustomerBody, `{"id":"${id}","name":"A"}`)).toEqual([
      `id must not be ${id} alone`,
    ]);
  });
});

describe('the event name of a metric', () => {
  it('is on one line, as that of an event', async () => {
    expect(
      await refused(CreateMetricBody, '{"name":"A","eventName":"a\\nb","aggregation":{"type":"count"}}'),
    ).toEqual([expect.stringMatching(/^eventName must /)]);
  });
});
