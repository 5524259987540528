import { describe, expect, it } from '@jest/globals';
import { formatDate, formatMoney, formatPeriod, formatQuantity, formatUnitPrice } from './format.js';

describe('money', () => {
  it('has the digits of its currency and separators between thousands', () => {
    expect(formatMoney('1234567.5', 'USD')).toBe('$1,234,567.50');
    expect(formatMoney('1234', 'JPY')).toBe('¥1,234');
    expect(formatMoney('0.125', 'KWD')).toBe('KWD\u00a00.125');
    // Where the customs of print and ISO 4217 differ, the invoice's digits count.
    expect(formatMoney('12', 'ISK')).toBe('ISK\u00a012');
    expect(formatMoney('12.345', 'IQD')).toBe('IQD\u00a012.345');
  });

  it('is exact where a double is not', () => {
    expect(formatMoney('9007199254740993.01', 'USD')).toBe('$9,007,199,254,740,993.01');
  });
});

describe('unit prices and quantities', () => {
  it('show every digit that they have', () => {
    expect(formatUnitPrice('0.0000025', 'USD')).toBe('$0.0000025');
    expect(formatUnitPrice('20', 'USD')).toBe('$20.00');
    expect(formatQuantity('18059974')).toBe('18,059,974');
    expect(formatQuantity('0.100000000000000001')).toBe('0.100000000000000001');
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
