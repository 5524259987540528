import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import { makeHostedInvoicePage } from '../hosted-invoice.js';
import { brandCss } from './brand.js';

const invoice = invoiceOf(sampleEvents.created(), sampleEvents.opened());
const payment = { cardOnFile: 'Visa ending 4242', canTakePayments: true, canAddCard: true, isSandbox: false };

describe('a brand', () => {
  it.each([
    ['#0b5fff', '#ffffff'],
    ['#FFE600', '#000000'],
    ['#000000', '#ffffff'],
    ['#ffffff', '#000000'],
    ['#777777', '#000000'],
  ])('has text on its color %s that can be read: %s', (brandColor, text) => {
    expect(brandCss({ logo: null, brandColor })).toBe(
      `:root { --brand: ${brandColor}; --on-brand: ${text}; }\n`,
    );
  });

  it('puts only colors into the style sheet', () => {
    for (const brandColor of ['red', '#fff', '#0b5fff;}', '#0b5fff\n'])
      expect(() => brandCss({ logo: null, brandColor })).toThrow('is no color');
  });

  it('has its logo on the page as an image, and its color in the style sheet that the policy allows', () => {
    const brand = { logo: 'data:image/png;base64,AAAA', brandColor: '#0b5fff' };
    const { html, contentSecurityPolicy } = makeHostedInvoicePage(invoice, 'TOKEN', null, payment, brand);
    expect(html).toContain('<img class="logo" src="data:image/png;base64,AAAA" alt="">');
    expect(html).toContain('<div class="bar"></div>');
    const [, style] = /<style>([^]*?)<\/style>/.exec(html)!;
    expect(style).toContain('--brand: #0b5fff;');
    const hash = createHash('sha256').update(style!).digest('base64');
    expect(contentSecurityPolicy).toContain(`style-src 'sha256-${hash}'; img-src data:;`);
  });

  it('does not change a page without a brand', () => {
    const { html } = makeHostedInvoicePage(invoice, 'TOKEN', null, payment);
    expect(html).not.toContain('<img');
    expect(html).not.toContain('class="bar"');
    expect(html).not.toContain('--brand:');
  });
});
