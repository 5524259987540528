import { describe, expect, it } from '@jest/globals';
import type { PostalAddress } from '#libs/kernel/core';
import { addressLines } from './address.js';

const address = (change: Partial<PostalAddress>): PostalAddress => ({
  line1: 'Hauptstr. 1',
  line2: null,
  city: 'Berlin',
  postalCode: '10115',
  region: null,
  country: 'DE',
  ...change,
});

describe('an address', () => {
  it('has its country in the language of the document', () => {
    expect(addressLines(address({}), 'en')).toEqual(['Hauptstr. 1', '10115 Berlin', 'Germany']);
    expect(addressLines(address({ line2: '2. Stock' }), 'fr')).toEqual([
      'Hauptstr. 1',
      '2. Stock',
      '10115 Berlin',
      'Allemagne',
    ]);
  });

  it('has no country within Japan, but has one in documents from abroad', () => {
    const inOsaka = {
      line1: '梅田3-1-1',
      postalCode: '530-0001',
      city: '大阪市北区',
      region: '大阪府',
      country: 'JP',
    };
    const lines = ['〒530-0001', '大阪府大阪市北区梅田3-1-1'];
    expect(addressLines(address(inOsaka), 'ja')).toEqual(lines);
    expect(addressLines(address(inOsaka), 'ja', 'JP')).toEqual(lines);
    expect(addressLines(address(inOsaka), 'ja', 'FR')).toEqual([...lines, '日本']);
  });

  it('has the form of its country', () => {
    const inTexas = { line1: '1 Main St', city: 'Austin', region: 'TX', postalCode: '78701', country: 'US' };
    expect(addressLines(address(inTexas), 'en')).toEqual(['1 Main St', 'Austin, TX 78701', 'United States']);
    const inSpain = {
      line1: 'C. Mayor 1',
      city: 'Soto',
      region: 'Asturias',
      postalCode: '33001',
      country: 'ES',
    };
    expect(addressLines(address(inSpain), 'es')).toEqual(['C. Mayor 1', '33001 Soto', 'Asturias', 'España']);
    expect(addressLines(address({ city: 'Doha', postalCode: null, country: 'QA' }), 'de')).toEqual([
      'Hauptstr. 1',
      'Doha',
      'Katar',
    ]);
  });

  it('goes from the large to the small in Japanese', () => {
    const inTokyo = address({
      line1: '丸の内1-1-1',
      line2: '3F',
      city: '千代田区',
      region: '東京都',
      postalCode: '100-0005',
      country: 'JP',
    });
    expect(addressLines(inTokyo, 'ja')).toEqual(['〒100-0005', '東京都千代田区丸の内1-1-1', '3F']);
    expect(addressLines(inTokyo, 'en').at(-1)).toBe('Japan');
  });
});
