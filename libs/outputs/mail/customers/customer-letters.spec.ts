import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '#libs/kernel/core';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import { renderLetter } from '../templates/letter.js';
import { isAllowed } from './customer-mails.js';
import { dunningLetter, invoiceLetter } from './customer-letters.js';

const brand = { logo: null, brandColor: '#FFE600' };
const frame = { sellerName: 'Contoso <GmbH>', customerName: 'Ada\nBcc: x', brand, sandbox: true };

describe('a letter to a customer', () => {
  it.each(LANGUAGES)('is whole in %s, and shows names as they are', (language) => {
    const sample = invoiceOf(sampleEvents.created(), sampleEvents.opened());
    const linked = {
      invoice: { ...sample, settings: { ...sample.settings, language } },
      url: 'https://billing.example/i/1',
    };
    const letters = [
      invoiceLetter(frame, linked),
      dunningLetter(frame, [linked], 'final_notice', 'pause'),
      dunningLetter(frame, [linked, linked], 'friendly_reminder', 'none'),
    ];
    for (const { subject, text, html } of letters.map(renderLetter)) {
      expect(text).toContain('https://billing.example/i/1');
      expect(text).not.toMatch(/^Bcc/m);
      expect(html).toContain(`<html lang="${language}">`);
      expect(html).toContain('Contoso &lt;GmbH&gt;');
      expect(`${subject}${text}${html}`).not.toMatch(/undefined|\[object/);
    }
  });
});

it.each([
  ['ada@example.com', ['Ada@Example.com'], true],
  ['ada@example.com', ['@example.com'], true],
  ['ada@evil-example.com', ['@example.com'], false],
  ['ada@example.com', [], false],
])('a sandbox sends to %s with %j: %s', (address, sandboxEmailAllowlist, allowed) => {
  expect(isAllowed(address, { sandboxEmailAllowlist })).toBe(allowed);
});
