import { expect, it } from '@jest/globals';
import { readRequestJson, type InvalidRequest } from '#libs/kernel/core';
import { CreateCustomerBody } from '../customers/customer.dto.js';
import { GenerateRevenueBody } from '../revenue/revenue.dto.js';
import { InstantField } from './fields/index.js';
import { createValidationPipe } from './validation.js';

class Moment {
  @InstantField()
  at: string;
}

/** What is said of the fields of a body, as `field message`. */
async function refused(metatype: new () => object, text: string): Promise<string[]> {
  const answer = createValidationPipe().transform(readRequestJson(text), { type: 'body', metatype });
  const error = await answer.then(
    () => undefined,
    (reason: InvalidRequest) => reason,
  );
  return (error?.details ?? []).map(({ field, message }) => `${field} ${message}`);
}

it('says of a field that was left out that it is required, and what it is', async () => {
  expect(await refused(Moment, '{}')).toEqual([expect.stringMatching(/^at is required: a date such as/)]);
  expect(await refused(GenerateRevenueBody, '{}')).toEqual([
    expect.stringMatching(/^period is required: a month/),
  ]);
  expect(await refused(CreateCustomerBody, '{"address":{"line1":"a","country":"DE"}}')).toEqual([
    expect.stringMatching(/^name is required: /),
    expect.stringMatching(/^address\.city is required: /),
  ]);
});

it('says of a field with a wrong value, also of null, only what it must be', async () => {
  for (const value of ['null', '""', '7'])
    expect(await refused(Moment, `{"at":${value}}`)).toEqual([
      expect.stringMatching(/^at must be a date such as/),
    ]);
});
