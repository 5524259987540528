import { describe, expect, it } from '@jest/globals';
import { InvalidRequest, parseJson } from '#libs/kernel/core';
import { presentBillingThresholds, readBillingThresholds } from './billing-thresholds.js';

const fieldsOf = (text: string): string[] => {
  try {
    readBillingThresholds(parseJson(text));
    return [];
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return error.details!.map(({ field }) => field);
  }
};

describe('the billing thresholds of a plan', () => {
  it.each<[string, unknown]>([
    ['{"amountGte":500}', { amountGte: '500' }],
    ['{"amountGte":0.10}', { amountGte: '0.1' }],
    ['null', null],
  ])('are read and shown as they were given: %s', (text, read) => {
    expect(readBillingThresholds(parseJson(text))).toEqual(read);
    const shown = JSON.stringify(presentBillingThresholds(readBillingThresholds(parseJson(text))));
    expect(JSON.parse(shown)).toEqual(JSON.parse(text));
  });

  it.each<[string, string[]]>([
    ['500', ['billingThresholds']],
    ['12345678901234567890', ['billingThresholds']],
    ['"500"', ['billingThresholds']],
    ['[500]', ['billingThresholds']],
    ['{}', ['billingThresholds.amountGte']],
    ['{"amountGte": 0}', ['billingThresholds.amountGte']],
    ['{"amountGte": "5"}', ['billingThresholds.amountGte']],
    ['{"amountGte": 5, "from": 1}', ['billingThresholds.from']],
    [
      '{"from": 1, "to": 2}',
      ['billingThresholds.from', 'billingThresholds.to', 'billingThresholds.amountGte'],
    ],
  ])('are refused, by the fields that are wrong: %s', (text, fields) => {
    expect(fieldsOf(text)).toEqual(fields);
  });
});
