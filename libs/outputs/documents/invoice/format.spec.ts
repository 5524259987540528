import { describe, expect, it } from '@jest/globals';
import type { Language } from '#libs/kernel/core';
import { formatsOf } from './format.js';

const {
  date: formatDate,
  exactMoney,
  money: formatMoney,
  period: formatPeriod,
  quantity: formatQuantity,
  unitPrice: formatUnitPrice,
} = formatsOf('en');

describe('money', () => {
  it('has the digits of its currency and separators between thousands', () => {
    expect(formatMoney('1234567.5', 'USD')).toBe('$1,234,567.50');
    expect(formatMoney('1234', 'JPY')).toBe('¥1,234');
    expect(formatMoney('0.125', 'KWD')).toBe('KWD\u00a00.125');
    // If printing habits differ from ISO 4217, the digits of the invoice are used.
    expect(formatMoney('12', 'ISK')).toBe('ISK\u00a012');
    expect(formatMoney('12.345', 'IQD')).toBe('IQD\u00a012.345');
  });

  it('is exact beyond the precision of a double', () => {
    expect(formatMoney('9007199254740993.01', 'USD')).toBe('$9,007,199,254,740,993.01');
  });
});

describe('unit prices and quantities', () => {
  it('show every digit that they have', () => {
    expect(formatUnitPrice('0.0025', 'USD')).toBe('$0.0025');
    expect(formatUnitPrice('0.0001', 'USD')).toBe('$0.0001');
    expect(exactMoney('0.0000025', 'USD')).toBe('$0.0000025');
    expect(formatUnitPrice('20', 'USD')).toBe('$20.00');
    expect(formatQuantity('18059974')).toBe('18,059,974');
    expect(formatQuantity('0.100000000000000001')).toBe('0.100000000000000001');
  });
});

describe('the price of a tiny unit', () => {
  it('is that of a million', () => {
    expect(formatUnitPrice('0.00000015', 'USD')).toBe('$0.15 per\u00a01,000,000');
    expect(formatUnitPrice('0.000000000125', 'USD')).toBe('$0.000125 per\u00a01,000,000');
    expect(formatUnitPrice('-0.00005', 'USD')).toBe('−$50.00 per\u00a01,000,000');
    expect(formatUnitPrice('0.005', 'JPY')).toBe('¥5,000 per\u00a01,000,000');
    expect(formatUnitPrice('0', 'USD')).toBe('$0.00');
  });
});

describe('dates', () => {
  it('are those of the time zone', () => {
    expect(formatDate('2023-11-16T23:30:00.000Z', 'UTC')).toBe('16 Nov 2023');
    expect(formatDate('2023-11-16T23:30:00.000Z', 'Asia/Tokyo')).toBe('17 Nov 2023');
  });

  it('of a period are its first and last day', () => {
    expect(formatPeriod('2023-11-16T00:00:00.000Z', '2023-12-16T00:00:00.000Z', 'UTC')).toBe(
      '16 Nov – 15 Dec 2023',
    );
    expect(formatPeriod('2023-12-31T23:00:00.000Z', '2024-01-31T23:00:00.000Z', 'Europe/Berlin')).toBe(
      '1 – 31 Jan 2024',
    );
    expect(formatPeriod('2024-01-01T09:00:00.000Z', '2024-01-01T09:00:00.000Z', 'UTC')).toBe('1 Jan 2024');
  });
});

describe('every language', () => {
  const written = (language: Language) => {
    const { money, unitPrice, percentage, date, period } = formatsOf(language);
    const [start, middle, end] = ['2023-11-16T00:00:00Z', '2023-11-17T00:00:00Z', '2023-12-16T00:00:00Z'];
    return [
      money('-1234567.5', 'EUR'),
      money('1234', 'JPY'),
      money('0.125', 'KWD'),
      unitPrice('0.0000025', 'USD'),
      percentage('7.7'),
      date(start, 'UTC'),
      period(start, end, 'UTC'),
      period(start, middle, 'UTC'),
    ].map((text) => text.replaceAll('\u00a0', '_'));
  };

  it.each<[Language, string[]]>([
    [
      'en',
      [
        '−€1,234,567.50',
        '¥1,234',
        'KWD_0.125',
        '$2.50 per_1,000,000',
        '7.7%',
        '16 Nov 2023',
        '16 Nov – 15 Dec 2023',
        '16 Nov 2023',
      ],
    ],
    [
      'de',
      [
        '−1.234.567,50_€',
        '1.234_¥',
        '0,125_KWD',
        '2,50_$ je_1.000.000',
        '7,7_%',
        '16. Nov. 2023',
        '16. Nov. – 15. Dez. 2023',
        '16. Nov. 2023',
      ],
    ],
    [
      'fr',
      [
        '−1_234_567,50_€',
        '1_234_JPY',
        '0,125_KWD',
        '2,50_$US pour_1_000_000',
        '7,7_%',
        '16 nov. 2023',
        '16 nov. – 15 déc. 2023',
        '16 nov. 2023',
      ],
    ],
    [
      'es',
      [
        '−1.234.567,50_€',
        '1234_JPY',
        '0,125_KWD',
        '2,50_US$ por_1.000.000',
        '7,7_%',
        '16 nov 2023',
        '16 nov – 15 dic 2023',
        '16 nov 2023',
      ],
    ],
    [
      'ja',
      [
        '−€1,234,567.50',
        '￥1,234',
        'KWD_0.125',
        '$2.50（1,000,000あたり）',
        '7.7%',
        '2023年11月16日',
        '2023年11月16日～2023年12月15日',
        '2023年11月16日',
      ],
    ],
  ])('writes numbers and dates in its own way: %s', (language, texts) => {
    expect(written(language)).toEqual(texts);
  });
});
