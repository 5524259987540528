import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jsonNumber, sumOf } from '#libs/core';
import { startSystem, type Client, type System } from '../support/index.ts';
import type { GoldenCase } from './adapter/index.ts';
import { aggregationOf, configOf, type AggregateCase, type PriceCase } from './adapter/prices.ts';

/*
 * The worked cases that can be asked over HTTP, as a client would. Amounts are read from the JSON text, since a parsed number
 * has lost the digits that it was written with.
 */

const cases = JSON.parse(readFileSync(join(import.meta.dirname, 'cases.json'), 'utf8')) as GoldenCase[];
const ofKind = (kind: string) =>
  cases.filter(({ given }) => given.kind === kind).map((golden) => [golden.id, golden] as const);

let system: System;
let http: Client;

beforeAll(async () => {
  system = await startSystem();
  http = (await system.workspace()).http;
});
afterAll(async () => system?.stop());

/** The answer's numbers at the top as text. */
async function evaluated(path: string, body: object): Promise<Record<string, string>> {
  const { text } = await http.post(path, body).expect(200);
  return JSON.parse(text, (_, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? context!.source : value,
  ) as Record<string, string>;
}

const numbers = (texts: string[]) => texts.map(jsonNumber);

describe('POST /v1/prices/evaluate', () => {
  it.each(ofKind('price'))('%s', async (_, golden) => {
    const given = golden.given as unknown as PriceCase;
    const { quantity = '0', event_amounts: amounts } = given;
    const usage = amounts ? { eventAmounts: numbers(amounts) } : { quantity: jsonNumber(quantity) };
    expect(
      await evaluated('/v1/prices/evaluate', { config: configOf(given.price, given), ...usage }),
    ).toMatchObject(golden.expect);
  });
});

describe('POST /v1/metrics/evaluate', () => {
  it.each(ofKind('aggregate'))('%s', async (_, golden) => {
    const given = golden.given as unknown as AggregateCase;
    const aggregation = aggregationOf(given.metric);
    const { start, end } = given.period;
    const body = { aggregation, events: given.events, startTime: start, endTime: end };
    const { groups } = (await evaluated('/v1/metrics/evaluate', body)) as unknown as {
      groups: { group: Record<string, string>; quantity: string }[];
    };
    const config = configOf(given.price, given);
    const priced = await Promise.all(
      groups.map(async ({ group, quantity }) => {
        const { amount } = await evaluated('/v1/prices/evaluate', {
          config,
          quantity: jsonNumber(quantity),
        });
        return [
          aggregation.groupBy?.map((property) => group[property]).join('|'),
          { quantity, amount },
        ] as const;
      }),
    );
    expect({
      quantity: sumOf(groups.map(({ quantity }) => quantity)).toFixed(),
      amount: sumOf(priced.map(([, { amount }]) => amount!)).toFixed(2),
      ...(aggregation.groupBy ? { groups: Object.fromEntries(priced) as object } : {}),
    }).toEqual(golden.expect);
  });
});
