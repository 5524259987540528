import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSystem, type System } from '../support/index.ts';
import type { GoldenCase } from './adapter/index.ts';
import { GoldenClient, unreachable } from './http/index.ts';

/* The worked cases as a client of the API would ask them, but for those that it cannot. */

const cases = JSON.parse(readFileSync(join(import.meta.dirname, 'cases.json'), 'utf8')) as GoldenCase[];
const reachable = cases.filter((golden) => unreachable(golden) === undefined);

let system: System;
let client: GoldenClient;
beforeAll(async () => {
  system = await startSystem();
  client = new GoldenClient(system);
});
afterAll(async () => system?.stop());

describe.each([...Map.groupBy(reachable, ({ given }) => given.kind)])('%s', (_, ofKind) => {
  it.each(ofKind.map((golden) => [golden.id, golden] as const))('%s', async (_id, golden) => {
    // What is not told over HTTP: the amount before its rounding is, the number of periods is not.
    const { periods_billed: _notTold, ...expected } = golden.expect;
    expect(await client.evaluate(golden)).toMatchObject(expected);
  });
});
