import { expect, it } from '@jest/globals';
import { Decimal } from '#libs/kernel/core';
import { forecast } from './forecast.js';

const usage = (month: string, amount: number) => ({ month, currency: 'USD', amount: new Decimal(amount) });

it('a forecast continues the fees until their planned end, and the line through the usage of three months', () => {
  const planned = [
    { currency: 'USD', endsAt: null, amount: '100.00' },
    { currency: 'USD', endsAt: '2026-06-10T00:00:00.000Z', amount: '30.00' },
  ];
  // 10, 20 and 30 in January to March. April is the present month, and would be 40.
  const history = [usage('2026-01', 10), usage('2026-02', 20), usage('2026-03', 30)];
  expect(forecast('2026-04', planned, history)).toEqual([
    { month: '2026-05', currency: 'USD', fees: '130.00', usage: '50.00', minimums: '0.00', total: '180.00' },
    { month: '2026-06', currency: 'USD', fees: '130.00', usage: '60.00', minimums: '0.00', total: '190.00' },
    { month: '2026-07', currency: 'USD', fees: '100.00', usage: '70.00', minimums: '0.00', total: '170.00' },
  ]);
});

it('a forecast counts what is missing to the minimums of subscriptions, until their planned end', () => {
  const committed = (minimum: number, fees: number, ofUsage: number, endsAt: string | null = null) => ({
    currency: 'USD',
    endsAt,
    minimum: new Decimal(minimum),
    fees: new Decimal(fees),
    usage: new Decimal(ofUsage),
  });
  const planned = [{ currency: 'USD', endsAt: null, amount: '30.00' }];
  // The first lacks 100 - 30 - 20, the second nothing, and the third 50 until its end.
  const months = forecast(
    '2026-04',
    planned,
    [],
    [committed(100, 30, 60), committed(100, 90, 60), committed(50, 0, 0, '2026-06-10T00:00:00.000Z')],
  );
  expect(months.map(({ minimums, total }) => [minimums, total])).toEqual([
    ['100.00', '130.00'],
    ['100.00', '130.00'],
    ['50.00', '80.00'],
  ]);
});

it('a forecast of usage that ends is not below zero', () => {
  const falling = forecast('2026-04', [], [usage('2026-01', 30), usage('2026-02', 15)]);
  expect(falling.map((one) => one.usage)).toEqual(['0.00', '0.00', '0.00']);
});
